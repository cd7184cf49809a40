import TestSupport
import TestedCalls
import Testing

@MainActor
private final class Display {
  var texts: [String] = []
  func show(_ text: String) { texts.append("\(text) on \(Place.current)") }
}

private actor Ledger {
  private(set) var lines: [String] = []
  func write(_ line: String) { lines.append(line) }
}

@Suite("Views: promise.on(context)", .bounded) struct ViewTests {
  private let queue = Place.queue.makeQueue()

  @Test("A view's context is inherited along its chain, through type changes and links without a handler")
  func inherited() async throws {
    let places = Log<Place>()
    let end = Promise.fulfilled(1).on(queue)
      .map { value in
        places.append(.current)
        return "\(value)"
      }
      .then { text in
        places.append(.current)
        return .fulfilled(text.count)
      }
      .asVoid()
      .map { places.append(.current) }
      .shielded()
      .tap { places.append(.current) }
      .onFulfilled { places.append(.current) }
      .map { throw TestError(1) }
      .recover { _ in places.append(.current) }
    try await end.value
    #expect(places.entries == Array(repeating: .queue, count: 6))
  }

  @Test("A chain of views can change to other contexts, the main actor and actors, and return to the promise")
  @MainActor
  func changed() async throws {
    let screen = Display()
    let ledger = Ledger()
    let promise = Promise.fulfilled(1).on(queue)
      .map { $0 + (Place.current == .queue ? 1 : 0) }
      .on(.main)
      .tap { screen.show("\($0)") }
      .map { $0 + 1 }
      .on(isolatedTo: ledger)
      .tap { ledger, value in ledger.write("\(value)") }
      .on(.global())
      .map { $0 + (Place.current == .elsewhere ? 1 : 0) }
      .promise
    #expect(try await promise.map { $0 * 10 }.value == 40 && screen.texts == ["2 on main"])
    #expect(await ledger.lines == ["3"])
  }

  @Test("A view makes no promise of its own, even in generic code, and its observers belong to the original promise")
  func same() {
    let context = ManualContext()
    let log = Log<Int>()
    let deferred = Deferred<Int>()
    let view = deferred.promise.on(context)
    #expect(view.promise === deferred.promise)
    #expect(view.onFulfilled { log.append($0) }.onRejected { _ in log.append(0) }.promise === deferred.promise)
    #expect(view.on(.main).promise === deferred.promise)
    func changed(_ view: some PromiseView<Int>) -> Promise<Int> { view.on(ManualContext()).promise }
    #expect(changed(deferred.promise.on(.main)) === deferred.promise)
    deferred.fulfill(7)
    context.runUntilIdle()
    #expect(log.entries == [7])
  }
}

@Suite("Waiting for the value of a view", .leavingNothing) struct ViewValueTests {
  /// The kinds of views of a promise.
  enum View: CaseIterable, Sendable {
    case onContext, onMain, onActor

    func value(of promise: Promise<Int>, cancelsSource: Bool) async throws -> Int {
      switch self {
      case .onContext: try await promise.on(ManualContext()).value(cancelsSource: cancelsSource)
      case .onMain: try await promise.on(.main).value(cancelsSource: cancelsSource)
      case .onActor: try await promise.on(isolatedTo: Clerk()).value(cancelsSource: cancelsSource)
      }
    }
  }

  private actor Clerk {}

  private let executor = ManualExecutor()
  private let work = StoppableWork()

  @Test(
    "A cancelled Task that waits for a view cancels the promise only if cancelsSource is set", .rule("4.7"),
    arguments: View.allCases, [false, true])
  func cancelled(_ view: View, cancelsSource: Bool) async {
    let ended = Log<Int>()
    let promise = work.promise.map(on: ManualContext()) { $0 }
    let task = Task(executorPreference: executor) {
      _ = try? await view.value(of: promise, cancelsSource: cancelsSource)
      ended.append(1)
    }
    executor.runUntilIdle()
    #expect(work.goesOn)
    task.cancel()
    // Another thread may have to resume the Task.
    #expect(
      await eventually {
        executor.runUntilIdle()
        return ended.entries == [1]
      })
    #expect(cancelsSource ? work.isStopped && promise.isCancelled : work.goesOn && promise.isPending)
  }

  @Test(
    "Cancelling a view cancels its promise with the reason, and the work above it only with upstream",
    .rule("4.2", "4.4"),
    arguments: [false, true])
  func cancel(upstream: Bool) {
    let promise = work.promise.map(on: ManualContext()) { $0 }
    let view = promise.on(ManualContext())
    if upstream { view.cancel(reason: TestError(3), upstream: true) } else { view.cancel(reason: TestError(3)) }
    #expect(promise.isCancelled)
    #expect(promise.failure == .test(3))
    #expect(upstream ? work.isStopped : work.goesOn)
  }
}
