// A plug-in that contains a copy of the library.
import Glibc
import PromiseContexts

private struct Problem: Error {}

@_cdecl("rejectAndCancel")
public func rejectAndCancel() {
  _ = Promise<Int>.rejected(Problem())
  let deferred = Deferred<Int>()
  deferred.onEnd { _ in }
  // `DetachedContext` is a package declaration. Hooks without a context of their own run there.
  let place = DetachedContext.pool is PoolContext ? "hooks run on the pool\n" : "hooks run in Tasks\n"
  // This output is unbuffered, like that of the library.
  write(1, place, place.utf8.count)
  deferred.fulfill(1)
}
