// A client that imports this module also gets PromiseContexts, and through it PromiseCore.
@_exported public import PromiseContexts
