#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import LoopbackServer
  import PromiseFoundation
  import TestSupport
  import Testing

  /// These tests run only on Linux, because on Apple's systems Foundation itself writes the file.
  @Suite("Downloads to a full disk", .bounded)
  struct FullDiskTests {
    @Test(
      "A download to a full disk rejects with CocoaError, ends its request and leaves no partial file",
      arguments: [true, false])
    func fullMeanwhile(_ hadFile: Bool) async throws {
      let (gate, gone) = (Gate(), Deferred<Void>())
      let exchange = try Exchange { _ in
        Response(
          pieces: [
            .bytes(pattern(500)), .call { gate.wait() }, .bytes(pattern(500)), .untilGone, .call { gone.fulfill() },
          ], framing: .length(2_000))
      }
      if hadFile { _ = try exchange.folder.write([1, 2, 3], to: "in") }
      let promise = try exchange.download()
      #expect(try await ProgressLog(of: promise).first.value == 0.25)
      try fill(exchange.folder)
      gate.open()
      #expect((await promise.failure as? CocoaError)?.code == .fileWriteOutOfSpace)
      try await gone.promise.value
      #expect(try exchange.folder.names == (hadFile ? ["in"] : []))
      if hadFile { #expect(try exchange.folder.bytes(of: "in") == [1, 2, 3]) }
    }

    /// Redirects all later writes to the partial file to a device that is always full.
    private func fill(_ folder: Folder) throws {
      let open = "/proc/self/fd"
      let part = try FileManager.default.contentsOfDirectory(atPath: open).compactMap(Int32.init).first { descriptor in
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(open)/\(descriptor)")
        return path.map { $0.contains(folder.url.lastPathComponent) && $0.hasSuffix(".part") } ?? false
      }
      let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
      #expect(dup2(full.fileDescriptor, try #require(part)) >= 0)
      try full.close()
    }
  }
#endif
