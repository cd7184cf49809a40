// Contexts that a test steps by hand, generators of random numbers, values behind a lock.
@_exported public import PromiseTesting
