// A client that imports the adapters also gets promises and the contexts to use them on.
@_exported public import PromiseContexts
