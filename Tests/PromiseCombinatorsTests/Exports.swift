// Imports that most files of this target need.
@_exported import OperatorTestSupport
