// A client that imports this module also gets promises, their contexts, and the adapters of Foundation.
@_exported public import PromiseFoundation
