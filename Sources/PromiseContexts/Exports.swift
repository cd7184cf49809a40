// Who imports the contexts has promises to use them on.
@_exported public import PromiseCore
