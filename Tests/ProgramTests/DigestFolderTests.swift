import Foundation
import PromiseContexts
import TestSupport
import Testing

@testable import digest_folder

@Suite("The example DigestFolder", .bounded) struct DigestFolderTests {
  @Test("The progress is the share of the bytes that are done", arguments: 1...4)
  func progress(lanes: Int) async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["a", "b", "c"] {
      try "text".write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    let shown = Log<Double>()
    let summary = FolderDigester(try FolderWalk(root: folder)).summary(lanes: lanes)
    summary.onProgress(on: .atOnce) { shown.append($0) }
    #expect(try await summary.value.bytes == 12)
    // The progress is 0 until the bytes are counted.
    let shares = [0, 4.0 / 12, 8.0 / 12, 1]
    #expect(shown.entries.allSatisfy(shares.contains), "\(shown.entries)")
  }

  @Test("The path and the contents of a file are separate parts of its digest")
  func separateParts() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let digests = try [("a", "bc"), ("ab", "c")].map { path, text in
      let file = folder.appending(path: path)
      try text.write(to: file, atomically: true, encoding: .utf8)
      return try FileReport(path: path, contentsOf: file) { true }.digest.value
    }
    #expect(digests[0] != digests[1])
  }
}
