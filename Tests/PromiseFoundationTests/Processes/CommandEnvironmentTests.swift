import Foundation
import PromiseFoundation
import TestSupport
import Testing

@Suite("Commands: the environment", .bounded)
struct CommandEnvironmentTests {
  @Test("Variables that are added later do not restore an environment that a command does not inherit")
  func replaced() async throws {
    let command = Command("env").environment(["A": "1"], inherits: false).environment(["B": "2"])
    #expect(try await variables(of: command) == ["A=1", "B=2"])
    let nothing = command.environment(["A": "3"], inherits: false)
    #expect(try await variables(of: nothing) == ["A=3", "B=2"])
  }

  @Test("A command inherits the environment again if a later call asks for it")
  func inheritsAgain() async throws {
    let command = Command("env").environment(["A": "1"], inherits: false).environment(["B": "2"], inherits: true)
    let names = try await variables(of: command).map { $0.prefix { $0 != "=" } }
    #expect(names.contains("PATH"))
    #expect(names.filter { ["A", "B"].contains($0) } == ["A", "B"])
  }

  private func variables(of command: Command) async throws -> [String] {
    try await command.run().value.text.split(separator: "\n").map(String.init).sorted()
  }

  #if os(Linux)
    @Test("A program inherits each environment entry unchanged, even an entry that is not text or has no name")
    func unchanged() async throws {
      // This test runs in a process of its own, because it changes the environment.
      await #expect(processExitsWith: .success) {
        let latin = Array("LATIN=".utf8) + [0xE9]
        let entries = [latin, Array("=x".utf8), Array("TEXT=é = 2".utf8), Array("OLD=1".utf8)]
        for entry in entries { unsafe putenv(strdup(entry.map(CChar.init(bitPattern:)) + [0])) }

        let command = Command("cat", ["/proc/self/environ"]).environment(["OLD": "2", "NEW": "é"])
        let environment = try await command.run().value.output.split(separator: 0).map(Array.init)
        for entry in entries.dropLast() { #expect(environment.filter { $0 == entry }.count == 1) }
        #expect(environment.filter { $0.starts(with: "OLD=".utf8) } == [Array("OLD=2".utf8)])
        #expect(environment.contains(Array("NEW=é".utf8)))
        #expect(environment.contains { $0.starts(with: "PATH=".utf8) })
        exit(EXIT_SUCCESS)
      }
    }
  #endif
}
