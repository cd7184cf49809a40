import Testing

@testable import PromiseProcesses

@Suite("Descriptions of results and errors of programs") struct DescriptionTests {
  #if os(Linux)
    @Test("The description of a standard error of 100 MB takes little memory")
    func memory() async {
      await #expect(processExitsWith: .success) {
        let result = CommandResult(
          program: "tool", termination: .exited(status: 1), output: Data(), errorOutput: Data(count: 100 << 20))
        let before = try mostResidentBytes()
        #expect(result.description == "tool exited with status 1: …")
        #expect(try mostResidentBytes() - before < 16 << 20)
      }
    }
  #endif

  private static let errors: [any Error] = [
    CommandError.notExecutable("x"), Promise.signal(SIGKILL).error ?? TestError(),
  ]

  @Test("localizedDescription is the description of the error", arguments: 0..<errors.count)
  func localized(index: Int) {
    let error = Self.errors[index]
    #expect(error.localizedDescription == "\(error)")
    #expect(!error.localizedDescription.contains("could not be completed"))
  }
}
