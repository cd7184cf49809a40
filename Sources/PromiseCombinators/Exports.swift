// Who combines promises has promises, and places for handlers to run.
@_exported public import PromiseContexts
