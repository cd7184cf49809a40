import Dispatch
import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

/// Tests programs that hang. Each description names the cause of the hang.
@Suite("Descriptions of pending promises") struct HungProgramTests {
  private let context = ManualContext()

  /// Returns the summaries of the causes of the promise's wait.
  private func causes(of promise: AnyPromise) -> [String] { promise.causes.map(\.summary) }

  @Test("An owner that is forgotten in a dictionary is named with its label and its line")
  func forgottenOwner() {
    var owners: [String: Deferred<Int>] = [:]
    owners["a"] = Deferred(label: "answer a", fileID: "M/F", line: 1)
    let shown = owners["a"]?.promise.map(on: context, fileID: "M/F", line: 2) { $0 }
    let node = shown?.waitsFor.first
    #expect(
      node?.description == """
        waits for Promise<Int> "answer a", M/F:1
          waits for its owner, made at M/F:1, which is alive and has not settled it
        """)
    let cause = shown?.causes.first
    #expect(cause?.kind == .owner)
    #expect(cause?.label == "answer a")
    #expect(cause?.createdAt?.line == 1)
    context.runUntilIdle(after: owners["a"]?.fulfill(1))
  }

  @Test("An operation that never leaves its gate is named together with the promise that it waits for")
  func neverLeavesGate() {
    let gate = ConcurrencyLimit(1, label: "disk", fileID: "M/Gate", line: 9)
    let inside = Deferred<Int>(fileID: "M/F", line: 1)
    let first = gate.run(on: context, fileID: "M/F", line: 2) { inside.promise }
    context.runUntilIdle()
    let others = (3...4).map { gate.run(on: context, fileID: "M/F", line: $0) { Promise.fulfilled(1) } }
    context.runUntilIdle()
    #expect(
      others[1].debugDescription == """
        Promise<Int>, pending, run of a gate at M/F:4
          cause: the owner of Promise<Int> made at M/F:1, which is alive and has not settled it; 4 promises wait for it
          waits for Promise<()>, M/F:4
            waits for a place in the ConcurrencyLimit "disk" made at M/Gate:9, behind 1 other in its queue, with 1 operation inside
              waits for the operation inside, run at M/F:2, which has not ended
                waits for Promise<Int>, M/F:1
                  waits for its owner, made at M/F:1, which is alive and has not settled it
        """)
    #expect(gate.debugDescription == "ConcurrencyLimit \"disk\", 1 operation inside, 2 waiting, made at M/Gate:9")
    #expect(others[0].waitsFor.first?.waitsFor.first?.kind == .gate)
    context.runUntilIdle(after: inside.fulfill(1))
    #expect(first.isFulfilled)
    #expect(others.allSatisfy { $0.isFulfilled })
  }

  @Test("A description of a combinator of many chains ends, and shows what waits for the result")
  func manyChains() {
    let owners = (0..<16).map { Deferred<Int>(fileID: "M/F", line: 100 + UInt($0)) }
    let chains = owners.map { owner in
      (0..<12).reduce(owner.promise) { promise, line in
        promise.map(on: context, fileID: "M/F", line: UInt(line)) { $0 }
      }
    }
    let all = Promise.all(chains, fileID: "M/F", line: 98)
    let consumer = all.map(on: context, fileID: "M/F", line: 99) { $0 }
    #expect(all.waitsFor.flatMap { $0.lines() }.count < 120)
    let lines = all.debugDescription.split(separator: "\n")
    #expect(lines.count < 80)
    #expect(lines.contains("  …"))
    #expect(lines.last?.hasPrefix("  Promise<Array<Int>>, pending, map at M/F:99") == true, "\(lines.last ?? "")")
    for owner in owners { owner.fulfill(1) }
    context.runUntilIdle()
    #expect(consumer.isFulfilled)
  }

  @Test("A combinator whose inputs are settled, and which has not learnt of it yet, does not wait for an owner")
  func inputsAreSettled() {
    let owner = Deferred<Int>(fileID: "M/F", line: 1)
    let result = Locked<Promise<[Int]>?>(nil)
    let kinds = Log<WaitNode.Kind>()
    // Runs inside the call that settles the input, before the combinator learns of it.
    owner.promise.onFulfilled(on: CallingContext {}) { _ in
      for node in result.withLock({ $0 })?.waitsFor ?? [] { kinds.append(node.kind) }
    }
    result.withLock { $0 = Promise.all([owner.promise, owner.promise]) }
    owner.fulfill(1)
    #expect(kinds.entries.isEmpty)
    #expect(result.withLock { $0?.isFulfilled } == true)
  }

  @Test("A closure that waits for its own gate is named once, and the description is finite")
  func waitsForItsOwnGate() {
    let gate = SerialGate(fileID: "M/Gate", line: 9)
    let outer = gate.run(on: context, fileID: "M/F", line: 1) { [context] in
      gate.run(on: context, fileID: "M/F", line: 2) { Promise.fulfilled(1) }
    }
    context.runUntilIdle()
    let lines = outer.debugDescription.split(separator: "\n")
    #expect(lines.count == 6)
    #expect(
      lines[1].hasPrefix(
        "  cause: the SerialGate made at M/Gate:9, with 1 operation inside, run at M/F:1, and 1 waiting, and an"))
    #expect(
      lines.contains {
        $0.hasSuffix(
          "the operation inside, run at M/F:1, which is Promise<Int>, run of a gate at M/F:1, where this tree begins")
      })
    context.runUntilIdle(after: outer.cancel())
  }

  @Test("A cancelled operation that keeps its place while its owner goes on is named")
  func cancelledOwnerThatGoesOn() {
    let gate = SerialGate(fileID: "M/Gate", line: 9)
    let shared = Deferred<Int>(fileID: "M/F", line: 1)
    let result = Deferred<Int>()
    let other = shared.promise.map(on: context) { $0 }
    let first = gate.run(on: context, fileID: "M/F", line: 2) { shared.promise }
    context.runUntilIdle()
    first.cancel()
    let second = gate.run(on: context, fileID: "M/F", line: 3) { result.promise }
    let text = second.debugDescription
    #expect(
      text.contains(
        """
        the operation inside, run at M/F:2, which has not ended
                waits for its owner, made at M/F:1, which is alive and has not settled it
        """), "\(text)")
    context.runUntilIdle(after: shared.fulfill(1))
    #expect(second.causes.first?.kind == .owner)
    #expect(other.isFulfilled)
    context.runUntilIdle(after: result.fulfill(1))
  }

  @Test("A ring through a captured variable is shown as the owner above and its own observer below")
  func ringThroughVariable() {
    let owner = Deferred<Int>(fileID: "M/F", line: 1)
    let next = owner.promise.map(on: context, fileID: "M/F", line: 2) { $0 + 1 }
    next.onFulfilled(on: context) { owner.fulfill($0) }
    let text = owner.promise.debugDescription
    #expect(
      text == """
        Promise<Int>, pending, 1 consumer, M/F:1
          waits for its owner, made at M/F:1, which is alive and has not settled it
          Promise<Int>, pending, 1 consumer, map at M/F:2
            onFulfilled, on a ManualContext
        """)
    owner.promise.cancel()
  }

  @Test("Shields, followers and promises that a handler has returned are passed through, each with a mark")
  func marks() {
    let server = Deferred<Int>(label: "server", fileID: "M/F", line: 1)
    let followed = Deferred<Int>(fileID: "M/F", line: 3)
    followed.follow(server.promise.shielded(fileID: "M/F", line: 2))
    let adopting = Promise.fulfilled(1).then(on: context, fileID: "M/F", line: 4) { _ in followed.promise }
    context.runUntilIdle()
    let page = adopting.shielded(fileID: "M/F", line: 5)
    #expect(
      page.debugDescription == """
        Promise<Int>, pending, shielded at M/F:5
          cause: the owner of Promise<Int> "server" made at M/F:1, which is alive and has not settled it; 5 promises wait for it
          waits for Promise<Int>, then at M/F:4, whose handler has returned the promise below
            waits for Promise<Int>, M/F:3, whose owner follows the promise below
              waits for Promise<Int>, shielded at M/F:2
                waits for Promise<Int> "server", M/F:1
                  waits for its owner, made at M/F:1, which is alive and has not settled it
        """)
    context.runUntilIdle(after: server.fulfill(1))
    #expect(page.isFulfilled)
  }

  @Test("The error of a ring is printed in full", .rule("3.2"))
  func ring() {
    let owners = (1...4).map { Deferred<Int>(fileID: "Module/LongNameOfAFile.swift", line: UInt($0)) }
    for (one, other) in zip(owners, owners.dropFirst()) { one.follow(other.promise) }
    owners[3].follow(owners[0].promise)
    let text = owners[3].promise.debugDescription
    #expect(text.contains("waits for itself, through those made at Module/LongNameOfAFile.swift:"), "\(text)")
    #expect(!text.contains("…"), "\(text)")
    for line in 1...4 { #expect(text.contains("Module/LongNameOfAFile.swift:\(line)"), "\(text)") }
    for owner in owners { _ = owner.promise.error }
  }

  @Test("A context that no thread runs is named")
  func idleContext() {
    let mapped = Promise.fulfilled(1).map(on: context, fileID: "M/F", line: 2) { $0 }
    let last = mapped.asVoid(fileID: "M/F", line: 3)
    // A release build does not know the context, so only the beginning is compared.
    #expect(causes(of: last).allSatisfy { $0.hasPrefix("the handler of map at M/F:2, which is queued") })
    #if DEBUG
      #expect(causes(of: last) == ["the handler of map at M/F:2, which is queued on a ManualContext"])
    #endif
    #expect(last.causes.first?.createdAt?.line == 2)
    context.runUntilIdle()
  }

  @Test("A handler that does not return is named as running")
  func blockedHandler() async throws {
    let began = Deferred<Void>()
    let gate = Gate()
    let blocked = Promise.fulfilled(1).map(on: .queue(queue), fileID: "M/F", line: 2) { value in
      began.fulfill()
      gate.wait()
      return value
    }
    try await began.promise.value
    #expect(causes(of: blocked).allSatisfy { $0.hasPrefix("the handler of map at M/F:2, which is running") })
    #if DEBUG
      #expect(causes(of: blocked) == ["the handler of map at M/F:2, which is running on the queue \"hung\""])
    #endif
    gate.open()
    _ = try await blocked.value
  }

  private let queue = DispatchQueue(label: "hung")

  @Test("An input of all that is never fulfilled is named, with the number of inputs that are settled")
  func forgottenInput() {
    let owners = (1...3).map { Deferred<Int>(fileID: "M/F", line: UInt($0)) }
    let sum = Promise.all(owners.map(\.promise), fileID: "M/F", line: 9).map(on: context, fileID: "M/F", line: 10) {
      $0.reduce(0, +)
    }
    owners[0].fulfill(1)
    owners[2].fulfill(3)
    #expect(
      sum.waitsFor.map(\.description) == [
        """
        waits for Promise<Array<Int>>, all at M/F:9, 2 of 3 inputs are settled
          waits for Promise<Int>, M/F:2
            waits for its owner, made at M/F:2, which is alive and has not settled it
        """
      ])
    #expect(owners[1].promise.debugDescription.contains("\n  Promise<Array<Int>>, pending, 1 consumer, all at M/F:9"))
    context.runUntilIdle(after: owners[1].fulfill(2))
  }

  @Test("A timer of a clock that stands still is named with the time that is left")
  func deadTimer() throws {
    try TestWorld.run { _ in
      let pause = Promise.after(.seconds(30), fulfill: 1, fileID: "M/F", line: 1)
      let last = pause.delay(.seconds(1), fileID: "M/F", line: 2)
      #expect(causes(of: last) == ["a timer, set at M/F:1, which is due in 30.0 seconds"])
      #expect(last.causes.first?.kind == .timer)
      last.cancel(upstream: true)
    }
  }

  @Test("A Task that does not return is named behind asyncMap, and as a Task that waits for the value")
  func endlessTask() async throws {
    let began = Deferred<Void>()
    let end = Deferred<Int>()
    let task = Promise.task(fileID: "M/F", line: 1) { () async throws -> Int in
      began.fulfill()
      return try await end.promise.value
    }
    let mapped = task.asyncMap(fileID: "M/F", line: 2) { $0 }
    try await began.promise.value
    #expect(causes(of: mapped) == ["the Task of Promise<Int> made at M/F:1, which is running"])
    while end.promise.debugDescription.split(separator: "\n").count < 3 { await Task.yield() }
    #expect(end.promise.debugDescription.hasSuffix("\n  a Task that waits for the value"))
    end.fulfill(1)
    _ = try await mapped.value
  }

  @Test("The description of a lazy promise says that it was not started")
  func neverStarted() {
    let lazy = LazyPromise<Int>(fileID: "M/F", line: 1) { _ in }
    #expect(lazy.debugDescription == "LazyPromise<Int>, not started, made at M/F:1")
    lazy.cancel()
    #expect(lazy.debugDescription.hasPrefix("LazyPromise of Promise<Int>, cancelled: CancellationError(), "))
  }

  @Test("A server that does not answer is named through the promise that a handler has returned")
  func silentServer() {
    let answer = Deferred<Int>(label: "GET /user", fileID: "M/Server", line: 7)
    let page = Promise.fulfilled(1).then(on: context, fileID: "M/F", line: 2) { _ in answer.promise }
    let flights = SingleFlight<Int, Int>(label: "users", fileID: "M/F", line: 3)
    let shared = flights.run(for: 1, on: context, fileID: "M/F", line: 4) { page }
    context.runUntilIdle()
    #expect(
      causes(of: shared) == [
        #"the owner of Promise<Int> "GET /user" made at M/Server:7, which is alive and has not settled it"#
      ])
    #expect(shared.causes.first?.label == "GET /user")
    #expect(flights.debugDescription == "SingleFlight \"users\", 1 in progress, made at M/F:3")
    context.runUntilIdle(after: answer.fulfill(1))
  }

  @Test("A consumer that a side branch keeps alive is shown below the source")
  func sideBranch() {
    let work = Deferred<Int>(fileID: "M/F", line: 1)
    let bag = CancelBag()
    let screen = work.promise.map(on: context, fileID: "M/F", line: 2) { $0 }
    let log = work.promise.tap(on: context, fileID: "M/F", line: 3) { _ in }.labeled("log")
    log.bound(to: bag)
    screen.cancel(upstream: true)
    #expect(work.promise.isPending)
    #expect(work.promise.debugDescription.hasSuffix("\n  Promise<Int> \"log\", pending, tap at M/F:3"))
    #expect(bag.debugDescription == "CancelBag, 1 pending\n  Promise<Int> \"log\", pending, tap at M/F:3")
    bag.cancelAll()
    #expect(!work.promise.isPending)
  }
}
