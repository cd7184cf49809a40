// Imports that most files of this target need.
@_exported import Foundation
@_exported import FoundationTestSupport
@_exported import PromiseCombinators
@_exported import TestSupport
