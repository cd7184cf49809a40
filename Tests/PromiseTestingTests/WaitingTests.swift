import Dispatch
import PromiseCombinators
import TestSupport
import Testing

@Suite("Waiting by blocking", .bounded) struct WaitingTests {
  /// A limit that is long enough for a busy machine, so only a defect reaches it.
  private let limit = Duration.seconds(600)

  private let waits: [(Promise<Int>, Duration) throws -> Void] = [
    { try $0.waitForValue(within: $1) }, { try $0.waitForError(within: $1) },
    { _ = try $0.waitForResult(within: $1) },
  ]

  /// Makes a promise that another thread settles once the gate is open.
  private func settled(by gate: Gate, _ settle: @escaping @Sendable (Deferred<Int>) -> Void) -> Promise<Int> {
    Promise { owner in
      DispatchQueue(label: "other thread").async {
        gate.wait()
        settle(owner)
      }
    }
  }

  // MARK: Outcomes

  @Test("A blocking wait returns a value, an error or an outcome from another thread")
  func otherThread() throws {
    let gate = Gate()
    let later = Gate()
    let value = settled(by: gate) { $0.fulfill(1) }
    let derived = settled(by: gate) { $0.fulfill(1) }.map { $0 + 1 }.map(on: .global()) { $0 * 2 }
    let error = settled(by: gate) { $0.reject(TestError(3)) }
    let outcomes = (settled(by: later) { $0.fulfill(4) }, settled(by: later) { $0.reject(TestError(5)) })
    gate.open()
    #expect(try value.waitForValue(within: limit) == 1)
    #expect(try derived.waitForValue(within: limit) == 4)
    #expect(try error.waitForError(within: limit) as? TestError == TestError(3))
    later.open()
    #expect(try outcomes.0.waitForResult(within: limit).get() == 4)
    let outcome = try outcomes.1.waitForResult(within: limit)
    #expect(throws: TestError(5)) { try outcome.get() }
  }

  @Test(
    "A wait for a settled promise succeeds even with a limit of zero or less",
    arguments: [Duration.zero, .seconds(-1), Duration(attoseconds: .min)])
  func settledAlready(limit: Duration) throws {
    #expect(try Promise.fulfilled(1).waitForValue(within: limit) == 1)
    #expect(try Promise<Int>.rejected(TestError(2)).waitForError(within: limit) as? TestError == TestError(2))
    #expect(try Promise.fulfilled(3).waitForResult(within: limit).get() == 3)
    let cancelled = Deferred<Int>()
    cancelled.promise.cancel()
    #expect(try cancelled.promise.waitForError(within: limit) is CancellationError)
  }

  @Test(
    "A wait accepts limits up to the longest Duration",
    arguments: [.seconds(86_400 * 365), .seconds(Int64.max), Duration(attoseconds: .max)])
  func longLimit(limit: Duration) throws {
    let owner = Deferred<Int>()
    let seen = Box<Result<Int, any Error>>()
    race([
      { seen.value = Result { try owner.promise.waitForValue(within: limit) } },
      {
        while !owner.promise.debugDescription.contains("1 consumer"), seen.value == nil {}
        // The other thread waits by now, unless it has given up.
        owner.fulfill(1)
      },
    ])
    let value = try seen.value?.get()
    #expect(value == 1)
  }

  @Test("The example of a blocking wait returns the value")
  func example() throws {
    let answer = try Promise.run { 6 * 7 }.waitForValue(within: .seconds(60))
    #expect(answer == 42)
  }

  @Test("A wait for the wrong outcome throws an error that names the actual outcome and the promise")
  func wrongOutcome() {
    let fulfilled = Promise.fulfilled(1)
    let rejected = Promise<Int>.rejected(TestError(77))
    let place = "PromiseTestingTests/WaitingTests.swift:\(#line - 2)"
    let otherPlace = "PromiseTestingTests/WaitingTests.swift:\(#line - 2)"
    let noError = waitError { try fulfilled.waitForError(within: .zero) }
    guard case .fulfilled(let name)? = noError else { return #expect(Bool(false), "\(noError as Any)") }
    #expect(name.contains("Promise<Int>"))
    #expect(name.contains(place))
    let noValue = waitError { try rejected.waitForValue(within: .zero) }
    guard case .rejected(let error, let other)? = noValue else { return #expect(Bool(false), "\(noValue as Any)") }
    #expect(error as? TestError == TestError(77))
    #expect(other.contains(otherPlace))
    #expect(noValue?.description.contains("77") == true)
    #expect(noError?.description.contains(place) == true)
  }

  // MARK: Limits

  @Test("A wait with a limit of zero or less only looks and leaves the promise unchanged", arguments: [0, -1])
  func onlyLooks(seconds: Int) throws {
    let owner = Deferred<Int>()
    let place = "PromiseTestingTests/WaitingTests.swift:\(#line - 1)"
    for wait in waits {
      let error = waitError { try wait(owner.promise, .seconds(seconds)) }
      let (limit, name, _) = try #require(error?.timeoutDetails)
      #expect(limit == .seconds(seconds))
      #expect(name.contains(place))
    }
    #expect(owner.promise.isPending)
    owner.fulfill(1)
    #expect(owner.promise.state.value == 1)
  }

  @Test("timedOut tells the causes first, at most eight of them, and then the tree")
  func timedOutCauses() throws {
    let place = "W/Causes:"
    let owners = (0..<20).map { Deferred<Int>(fileID: "W/Causes", line: UInt($0)) }
    for count in [2, 20] {
      let error = waitError {
        try Promise.all(owners[..<count].map(\.promise)).waitForValue(within: .zero)
      }
      let lines = try #require(error?.timeoutDetails?.lines)
      let causes = lines.prefix { $0.hasPrefix("cause: ") }
      #expect(causes.count == min(count, 8))
      #expect(causes.allSatisfy { $0.contains(place) }, "\(lines)")
      let tree = lines.dropFirst(causes.count)
      #expect(tree.first == (count == 2 ? "waits for Promise<Int>, \(place)0" : "… 12 more causes"), "\(lines)")
      #expect(tree.last?.contains(count == 2 ? "its owner" : "… 4 more") == true, "\(lines)")
    }
  }

  // MARK: Consumers

  @Test(
    "A waiter whose time is up is no longer a consumer", .rule("4.9"), arguments: [Duration.zero, .milliseconds(1)])
  func leaves(limit: Duration) {
    let inner = Deferred<Int>()
    let outer = Deferred<Int>()
    outer.follow(inner.promise)
    for wait in waits { waitError { try wait(inner.promise, limit) } }
    outer.promise.cancel()
    #expect(inner.promise.isCancelled, "cancelled with its last consumer (rule 4.4)")
  }

  @Test("A waiter is a consumer for the duration of its wait", .rule("4.0"))
  func consumer() {
    let inner = Deferred<Int>()
    let outer = Deferred<Int>()
    outer.follow(inner.promise)
    let survived = Box<Bool>()
    let value = Box<Int>()
    race([
      { value.value = (try? inner.promise.waitForValue(within: .seconds(600))) ?? -1 },
      {
        // Spins until the other thread counts as a consumer or has given up.
        while !inner.promise.debugDescription.contains("2 consumers"), value.value == nil {}
        outer.promise.cancel()
        survived.value = inner.promise.isPending
        inner.fulfill(1)
      },
    ])
    #expect(survived.value == true)
    #expect(value.value == 1)
  }

  @Test("A wait handles a rejection that it observes, but not a rejection after it has ended", .rule("7.1"))
  func looked() throws {
    let reports = Log<String>()
    let note: @Sendable (UnhandledRejection) -> Void = { reports.append($0.description) }
    try Diagnostics.scoped(unhandledRejection: note) {
      _ = try Promise<Int>.rejected(TestError(1)).waitForError(within: .zero)
      _ = try Promise<Int>.rejected(TestError(2)).waitForResult(within: .zero)
      waitError { try Promise<Int>.rejected(TestError(3)).waitForValue(within: .zero) }
    }
    #expect(reports.entries == [])
    Diagnostics.scoped(unhandledRejection: note) {
      let owner = Deferred<Int>()
      waitError { try owner.promise.waitForValue(within: .zero) }
      owner.reject(TestError(4))
    }
    #expect(reports.entries.count == 1, "who went before has not seen it")
  }
}
