// A client that imports this module also gets blocking waits, and through them PromiseContexts and PromiseCore.
@_exported public import PromiseWaiting
