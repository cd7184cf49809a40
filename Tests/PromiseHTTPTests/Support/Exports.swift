// Imports that most files of this target need.
@_exported import Foundation
@_exported import FoundationTestSupport
@_exported import LoopbackServer
@_exported import PromiseCombinators
@_exported import TestSupport

#if canImport(FoundationNetworking)
  // Apple's Foundation contains these sessions and requests.
  @_exported import FoundationNetworking
#endif
