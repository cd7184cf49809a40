// Who imports the adapters has promises, and contexts to use them on.
@_exported public import PromiseContexts
