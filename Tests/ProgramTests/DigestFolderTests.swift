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
    let queue = DispatchQueue(label: "shown")
    let summary = FolderDigester(try FolderWalk(root: folder)).summary(lanes: lanes)
    // On a serial queue, an observer sees 1 before a handler gets the value.
    summary.onProgress(on: .queue(queue)) { shown.append($0) }
    #expect(try await summary.map(on: .queue(queue)) { $0.bytes }.value == 12)
    // The progress is 0 until the bytes are counted.
    let shares = [0, 4.0 / 12, 8.0 / 12, 1]
    #expect(shown.entries.allSatisfy(shares.contains), "\(shown.entries)")
    #expect(zip(shown.entries, shown.entries.dropFirst()).allSatisfy { $0 < $1 }, "\(shown.entries)")
    #expect(shown.entries.last == 1)
  }

  @Test("The share of a file counts when the size of the folder is known")
  func share() async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a")
    try "text".write(to: file, atomically: true, encoding: .utf8)
    let report = try FileReport(path: "a", contentsOf: file) { true }
    let tally = Tally()
    #expect(await tally.add(report) == 0)
    await tally.expect(bytes: 12)
    #expect(await tally.add(report) == 8.0 / 12)
    #expect(await tally.add(report) == 1)
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
