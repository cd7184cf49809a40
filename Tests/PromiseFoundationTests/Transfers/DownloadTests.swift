import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Downloads", .bounded)
struct DownloadTests {
  @Test(
    "A download writes the whole body to the file", arguments: [0, 1, 200_000],
    [Response.Framing.automatic, .chunked, .untilClose])
  func content(_ count: Int, _ framing: Response.Framing) async throws {
    let exchange = try Exchange { _ in
      Response(headers: [("X-Mark", "m")], pieces: [.bytes(pattern(count))], framing: framing)
    }
    let response = try await exchange.download().value
    #expect(response.status == 200)
    #expect(response["X-Mark"] == "m")
    #expect(try exchange.folder.bytes(of: "in") == pattern(count))
    #expect(try exchange.folder.names == ["in"])
  }

  @Test("An existing file is replaced only when the whole body has arrived")
  func replaced() async throws {
    let gate = Gate()
    let exchange = try Exchange { _ in
      Response(pieces: [.text("new "), .call { gate.wait() }, .text("content")])
    }
    _ = try exchange.folder.write(pattern(500), to: "in")
    let promise = try exchange.download()
    _ = try await ProgressLog(of: promise).first.value
    #expect(try exchange.folder.bytes(of: "in") == pattern(500))
    #expect(try exchange.folder.names.filter { !$0.hasPrefix(".") } == ["in"])
    gate.open()
    _ = try await promise.value
    #expect(try exchange.folder.bytes(of: "in") == Array("new content".utf8))
    #expect(try exchange.folder.names == ["in"])
  }

  @Test("A download writes the body of any status", arguments: [201, 400, 404, 500])
  func statuses(_ status: Int) async throws {
    let exchange = try Exchange { _ in .text("why", status: status) }
    let response = try await exchange.download().value
    #expect(response.status == status)
    #expect(try exchange.folder.bytes(of: "in") == Array("why".utf8))
  }

  @Test("A response without a body creates an empty file", arguments: [204, 205, 304])
  func bodiless(_ status: Int) async throws {
    let exchange = try Exchange { _ in .empty(status: status) }
    let response = try await exchange.download().value
    #expect(response.status == status)
    #expect(try exchange.folder.bytes(of: "in").isEmpty)
  }

  @Test(
    "A connection that ends too early leaves the file unchanged and no partial file behind", arguments: [true, false])
  func cut(_ hadFile: Bool) async throws {
    let exchange = try Exchange { _ in Response(pieces: [.bytes(pattern(5_000)), .cut], framing: .length(9_000)) }
    if hadFile { _ = try exchange.folder.write([1, 2, 3], to: "in") }
    let promise = try exchange.download()
    #expect(await promise.failure is URLError)
    #expect(try exchange.folder.names == (hadFile ? ["in"] : []))
    if hadFile { #expect(try exchange.folder.bytes(of: "in") == [1, 2, 3]) }
  }

  @Test(
    "A cancelled download leaves the file unchanged and no partial file behind", .rule("4.1"), arguments: [true, false])
  func cancelled(_ hadFile: Bool) async throws {
    let unfinished = UnfinishedResponse([.bytes(pattern(500))], framing: .length(1_000))
    let exchange = try Exchange { _ in unfinished.response }
    if hadFile { _ = try exchange.folder.write([1, 2, 3], to: "in") }
    let promise = try exchange.download()
    #expect(try await ProgressLog(of: promise).first.value == 0.5)
    promise.cancel()
    try await unfinished.left.value
    #expect(promise.isCancelled)
    // The server may see the cancellation before the client has removed its partial file.
    try await exchange.folder.waitUntilNothingIsWritten()
    #expect(try exchange.folder.names == (hadFile ? ["in"] : []))
    if hadFile { #expect(try exchange.folder.bytes(of: "in") == [1, 2, 3]) }
  }

  @Test("A download into a directory that does not exist rejects with CocoaError")
  func missingDirectory() async throws {
    let exchange = try Exchange { _ in .text("body") }
    let promise = try exchange.download(to: "missing/in")
    #expect((await promise.failure as? CocoaError)?.code == .fileNoSuchFile)
    #expect(try exchange.folder.names.isEmpty)
  }

  @Test(
    "File names may contain spaces, percent signs and umlauts",
    arguments: ["a b", "100%41", "grüße", ".hidden", "a+b&c"])
  func names(_ name: String) async throws {
    let exchange = try Exchange { _ in .text("body") }
    _ = try await exchange.download(to: name).value
    #expect(try exchange.folder.names == [name])
    #expect(try exchange.folder.bytes(of: name) == Array("body".utf8))
  }

  @Test("A download sends the request unchanged, with its body")
  func request() async throws {
    let exchange = try Exchange { .text("\($0.method) \($0["X-A"] ?? "") \($0.bodyText)") }
    var request = try exchange.request(method: "POST")
    request.setValue("b", forHTTPHeaderField: "X-A")
    request.httpBody = Data("query".utf8)
    _ = try await exchange.session.promise(for: request, downloadingTo: exchange.folder.file("in")).value
    #expect(try String(decoding: exchange.folder.bytes(of: "in"), as: UTF8.self) == "POST b query")
  }

  @Test("Two downloads to the same file leave the complete body of either of them")
  func sameFile() async throws {
    let exchange = try Exchange { .bytes(Array(repeating: $0.target == "/a" ? 1 : 2, count: 50_000)) }
    let promises = try ["/a", "/b"].map { try exchange.download($0) }
    for promise in promises { _ = try await promise.value }
    let bytes = try exchange.folder.bytes(of: "in")
    #expect(bytes.count == 50_000)
    #expect(Set(bytes).count == 1)
    #expect(try exchange.folder.names == ["in"])
  }
}
