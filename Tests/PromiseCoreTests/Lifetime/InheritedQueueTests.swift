import PromiseCore
import TestSupport
import Testing

@Suite("Tasks made inside a settlement that a release has caused")
struct InheritedQueueTests {
  /// A context that runs a Task to its end inside `schedule`.
  private final class StartingContext: ExecutionContext {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func schedule(_ job: consuming Job) {
      let end = Gate()
      Task { [body] in
        body()
        end.open()
      }
      end.wait("Task")
      job.run()
    }
  }

  @Test(
    "An owner and a bag that the Task releases settle their promises before the release returns",
    .rule("6.2", "8.3"))
  func settlesItself() {
    let settled = Log<Bool>()
    let context = StartingContext {
      let promise = Deferred<Int>().promise
      let bound = Deferred<Int>()
      bound.promise.bound(to: CancelBag())
      settled.append(promise.isRejected && bound.promise.isCancelled)
    }
    do {
      let owner = Deferred<Int>()
      owner.promise.catch(on: context) { _ in }
    }
    #expect(settled.entries == [true])
  }
}
