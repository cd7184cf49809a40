import Foundation
import PromiseCombinators
import PromiseFoundation
import TestSupport
import Testing

/// Runs the code of Docs/Guides/Foundation.md, and of comments, about the end of programs.
@Suite("Documents: With Foundation, the end of a program", .bounded)
struct CommandGuideTests {
  @Test("A client waits for the end of a program as the guide shows")
  func ends() async throws {
    let folder = try Folder()
    // Another process writes the files. While this process has a file open for writing, a program that another test
    // starts may have it open too, and then the file cannot be run.
    let script = "cat >'\(folder.file("deploy").path)'; cd '\(folder.url.path)'; chmod +x deploy; cp deploy fetch"
    _ = try await shell(script).input("#!/bin/sh\necho \"$1\"\n").run().value
    let (project, version) = (folder.url, "1.0")

    let deploying = SerialGate()
    let deployed = deploying.asyncRun { try await Command("./deploy", [version]).directory(project).runToEnd() }
    #expect(try await deployed.value.text == "1.0")

    let news = Promise.retry(attempts: 3) {
      let fetch = Command("./fetch", ["news"]).directory(project).start()
      return fetch.result.timeout(.seconds(60))
        .rescue { error in fetch.end.map { throw error } }
    }
    #expect(try await news.value.text == "news")
  }

  /// This function is never called, because there is no such server.
  private func unreachable(_ address: String, _ version: String, _ gate: SerialGate) {
    do {
      let page = Promise.retry(attempts: 3) {
        let fetch = Command("curl", ["--silent", address]).start()
        return fetch.result.timeout(.seconds(60))
          .rescue { error in fetch.end.map { throw error } }
      }
      let deployed = gate.asyncRun { try await Command("deploy", [version]).runToEnd() }
      withExtendedLifetime((page, deployed)) {}
    }
    let fetch = Command("curl", ["--silent", address]).start()
    let page = fetch.result.timeout(.seconds(60)).map { result in result.text }
    fetch.end.onFulfilled { print("curl has ended, and the processes that it has started") }
    withExtendedLifetime(page) {}
  }
}
