// Exports the list of links, which many tests of this target need.
@_exported import TestedCalls
