// A plug-in that contains a copy of the library.
import Glibc
import PromiseContexts

private struct Problem: Error {}

@_cdecl("rejectAndCancel")
public func rejectAndCancel() {
  _ = Promise<Int>.rejected(Problem())
  let deferred = Deferred<Int>()
  deferred.onEnd { _ in }
  // A package declaration: where hooks run that have no context of their own.
  let place = DetachedContext.pool is PoolContext ? "hooks run on the pool\n" : "hooks run in Tasks\n"
  // Unbuffered, as what the library prints.
  write(1, place, place.utf8.count)
  deferred.fulfill(1)
}
