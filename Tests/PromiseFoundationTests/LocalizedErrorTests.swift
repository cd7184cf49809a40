import Foundation
import PromiseCombinators
import PromiseFoundation
import TestSupport
import Testing

@Suite("Localized descriptions of errors")
struct LocalizedErrorTests {
  private static let site = CreationSite(fileID: "M/F", line: 1)
  private static let errors: [any Error & CustomStringConvertible] = [
    PromiseError.broken(createdAt: site), PromiseError.timedOut(createdAt: site),
    PromiseError.emptyInput(createdAt: site),
    HTTPRequestError.invalidURL("x y"), TransferError.bodyTooLarge(limit: 1, url: nil), CommandError.notExecutable("x"),
  ]

  @Test("localizedDescription is the description of the error", arguments: 0..<errors.count)
  func localized(index: Int) {
    let error = Self.errors[index]
    #expect(error.localizedDescription == error.description)
    #expect(!error.localizedDescription.contains("could not be completed"))
  }

  @Test("localizedDescription is the description of an internal error, too")
  func madeByLibrary() throws {
    let error = try #require(Promise.signal(SIGKILL).error)
    #expect(error.localizedDescription == "a process cannot catch the signal 9")
  }
}
