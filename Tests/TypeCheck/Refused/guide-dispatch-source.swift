// A dispatch source in `onCancel`, as Docs/Guides/NonSendableValues.md shows it. Apple's Dispatch may declare its
// sources `Sendable`.
// modes: plain
// on: linux
// expect: add '@preconcurrency' to treat 'Sendable'-related errors from module 'Dispatch' as warnings
import Dispatch
import PromiseContexts

func readable(_ source: any DispatchSourceRead) -> Promise<Int> {
  let readable = Deferred<Int>()
  // expect: capture of 'source' with non-Sendable type 'any DispatchSourceRead' in a '@Sendable' closure
  readable.onCancel { _ in source.cancel() }
  return readable.promise
}
