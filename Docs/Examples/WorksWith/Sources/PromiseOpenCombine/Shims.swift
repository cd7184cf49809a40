import PromiseContexts
import Synchronization

// The other files here are links to the sources of PromiseFoundation, which use these declarations of the library. They
// are compiled with OpenCombine in place of Combine, by a module alias.

struct ShortLock: ~Copyable {
  private let mutex = Mutex<Void>(())
  func locked<Result>(_ body: () -> Result) -> Result { mutex.withLock { _ in body() } }
}

extension Deferred {
  func settleIfPending(with body: () throws -> Value) { if promise.isPending { settle(Result(catching: body)) } }

  func rejectIfPending(with error: any Error) { settleIfPending { throw error } }
}
