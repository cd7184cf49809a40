import Foundation
import PromiseRecording
import TestSupport
import Testing

@Suite("Recordings of code that throws") struct RecordedFailureTests {
  private let recorder = Recorder()
  private let pages = Log<String>()

  private func writePage(_ page: String) { pages.append(page) }

  @Test("The page is written where the code throws, with the error as its title, and the error is thrown")
  func thrown() {
    for title in [nil, "No weather"] {
      #expect(throws: TestError(7)) {
        try recorder.record(title: title) {
          let owner = Deferred<Int>(label: "never")
          _ = owner.promise.map { $0 }
          throw TestError(7)
        } writingTo: {
          writePage($0)
        }
      }
    }
    #expect(pages.entries.map { $0.contains("\"title\":\"TestError(number: 7)\"") } == [true, false])
    #expect(pages.entries.map { $0.contains("\"title\":\"No weather\"") } == [false, true])
    #expect(pages.entries.allSatisfy { $0.contains("\"never\"") })
    #expect(pages.entries.allSatisfy { $0.contains("RecordedFailureTests.swift") })
  }

  @Test("Nothing is written if the code returns, whose result is returned")
  func returned() async throws {
    #expect(try recorder.record({ 1 }, writingTo: writePage) == 1)
    #expect(try await recorder.record({ try await Promise.fulfilled(2).value }, writingTo: writePage) == 2)
    #expect(pages.entries.isEmpty)
  }

  @Test("A test world in the code is recorded, too")
  func world() {
    #expect(throws: TestError(4)) {
      try recorder.record {
        try TestWorld.run { world in
          Promise.run(on: world.pool) {}.labeled("in the world")
          world.runUntilIdle()
          throw TestError(4)
        }
      } writingTo: {
        writePage($0)
      }
    }
    #expect(pages.entries.map { $0.contains("\"in the world\"") } == [true])
  }

  @Test("Async code is recorded, too")
  func async() async {
    await #expect(throws: TestError(3)) {
      try await recorder.record {
        try await Promise<Int>.rejected(TestError(3)).labeled("broken").value
      } writingTo: {
        writePage($0)
      }
    }
    #expect(pages.entries.count == 1)
    #expect(pages.entries.first?.contains("broken") == true)
  }

  @Test("If the page cannot be written, the error has both reasons")
  func unwritten() {
    let error = #expect(throws: PageWriteError.self) {
      try recorder.record {
        throw TestError(1)
      } writingTo: { _ in
        throw TestError(2)
      }
    }
    #expect(error?.error as? TestError == TestError(1))
    #expect(error?.writeError as? TestError == TestError(2))
    #expect(error?.description == "\(TestError(1)); the page of the recording could not be written: \(TestError(2))")
  }

  @Test("The ready writer makes a file in the folder of temporary files")
  func temporary() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "promise-recordings")
    let before = Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    #expect(throws: TestError(1)) {
      try recorder.record {
        throw TestError(1)
      } writingTo: { page in
        try Recorder.writeTemporaryPage(page)
      }
    }
    let new = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)).subtracting(before)
    for name in new { try FileManager.default.removeItem(at: folder.appending(path: name)) }
    #expect(new.count == 1)
    #expect(new.first?.hasSuffix(".html") == true)
  }
}
