import PromiseContexts
import TestSupport
import Testing

@Suite("Waiting for the value of a view", .leavingNothing)
struct ViewValueTests {
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
  func cancelled(_ view: View, cancelsSource: Bool) {
    let promise = work.promise.map(on: ManualContext()) { $0 }
    let task = Task(executorPreference: executor) {
      _ = try? await view.value(of: promise, cancelsSource: cancelsSource)
    }
    executor.runUntilIdle()
    #expect(work.goesOn)
    task.cancel()
    executor.runUntilIdle()
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
    #expect(promise.isCancelled && promise.error as? TestError == TestError(3))
    #expect(upstream ? work.isStopped : work.goesOn)
  }
}
