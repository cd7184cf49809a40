// A client that imports this module also gets PromiseCore.
@_exported public import PromiseCore
