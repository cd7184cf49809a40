#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import LoopbackServer
  import PromiseFoundation
  import TestSupport
  import Testing

  // Each test measures its own process, so that other tests do not count.
  @Suite("Memory of transfers", .bounded)
  struct TransferMemoryTests {
    enum Way: Int, CaseIterable, Codable, Sendable { case uploadingFile, bodyOfRequest, bodyOfDownload }

    @Test("A file is not loaded into memory to be sent", arguments: Way.allCases)
    func upload(_ way: Way) async {
      await #expect(processExitsWith: .success) { [way] in
        let folder = try Folder()
        // The server refuses the body because of its length, and so does not keep it in this process.
        let server = try LoopbackServer(bodyLimit: 1_000) { _ in .text("never") }
        let file = try folder.write([], to: "out")
        try FileHandle(forWritingTo: file).truncate(atOffset: 256 << 20)
        let request = HTTPRequest.post(server.address).accepting(413...413)
        let session = URLSession(configuration: .ephemeral)
        let before = try mostResidentBytes()
        let status =
          switch way {
          case .uploadingFile:
            try await session.promise(for: request.urlRequest(), uploadingFile: file).map { $0.1.status }.value
          case .bodyOfRequest: try await session.promise(for: request.body(fileAt: file)).map(\.status).value
          case .bodyOfDownload:
            try await session.promise(for: request.body(fileAt: file), downloadingTo: folder.file("in"))
              .map(\.status).value
          }
        #expect(status == 413)
        #expect(try mostResidentBytes() - before < 100 << 20)
      }
    }

    @Test("A body that is refused while it is decompressed does not accumulate in memory", .slow)
    func bomb() async {
      await #expect(processExitsWith: .success) {
        let bytes = try await shell("head -c 536870912 /dev/zero | gzip").run().map { Array($0.output) }.value
        let server = try LoopbackServer { _ in
          Response(headers: [("Content-Encoding", "gzip")], pieces: [.bytes(bytes)])
        }
        let before = try mostResidentBytes()
        let request = HTTPRequest.get(server.address).maximumBodySize(1_000)
        let error = await URLSession(configuration: .ephemeral).promise(for: request).failure
        #expect(error?.caseName == "TransferError.bodyTooLarge")
        #expect(try mostResidentBytes() - before < 256 << 20)
      }
    }
  }
#endif
