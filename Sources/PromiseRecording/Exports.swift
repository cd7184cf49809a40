// A client that imports this module also gets promises and the contexts to use them on.
@_exported public import PromiseContexts
