// Imports that most files of this target need. The modules under test are not among them, because the compiler checks
// the isolation of closures at run time if a file does not import the module that takes them.
@_exported import TestSupport
@_exported import TestedCalls
