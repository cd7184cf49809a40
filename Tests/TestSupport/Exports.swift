// Exports contexts that a test steps by hand, generators of random numbers, and values behind a lock.
@_exported public import PromiseTesting
