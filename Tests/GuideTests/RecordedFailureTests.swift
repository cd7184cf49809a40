import Foundation
import PromiseRecording
import PromiseTesting
import TestSupport
import Testing

@Suite("The guide to looking at a run: code that fails") struct RecordedFailureTests {
  private let recorder = Recorder()
  private let server = Server()

  private struct Server {
    func page(_ name: String) -> Promise<String> { .fulfilled("\(name): sun") }
  }

  @Test("The examples compile, and write no page if the code returns")
  func examples() throws {
    let name = FileManager.default.currentDirectoryPath + "/weather.html"
    #expect(try intoFile() == "weather: sun")
    #expect(try intoTemporaryFile() == "weather: sun")
    #expect(!FileManager.default.fileExists(atPath: name))
  }

  private func intoFile() throws -> String {
    let text = try recorder.record {
      try server.page("weather").waitForValue(within: .seconds(5))
    } writingTo: { page in
      try page.write(toFile: "weather.html", atomically: true, encoding: .utf8)
    }
    return text
  }

  private func intoTemporaryFile() throws -> String {
    let text = try recorder.record {
      try server.page("weather").waitForValue(within: .seconds(5))
    } writingTo: { page in
      try Recorder.writeTemporaryPage(page)
    }
    return text
  }
}
