import PromiseFoundation
import Testing

@Suite("Localized descriptions of errors") struct LocalizedErrorTests {
  private static let site = CreationSite(fileID: "M/F", line: 1)
  private static let errors: [any Error] = [
    PromiseError.broken(createdAt: site), PromiseError.timedOut(createdAt: site),
    PromiseError.emptyInput(createdAt: site),
  ]

  @Test("localizedDescription is the description of the error", arguments: 0..<errors.count)
  func localized(index: Int) {
    let error = Self.errors[index]
    #expect(error.localizedDescription == "\(error)")
    #expect(!error.localizedDescription.contains("could not be completed"))
  }
}
