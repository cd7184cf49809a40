import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Downloads", .bounded)
struct DownloadTests {
  @Test(
    "A download writes the whole body to the file", arguments: [0, 1, 200_000],
    [Response.Framing.automatic, .chunked, .untilClose])
  func content(_ count: Int, _ framing: Response.Framing) async throws {
    let folder = try Folder()
    let exchange = try Exchange { _ in
      Response(headers: [("X-Mark", "m")], pieces: [.bytes(pattern(count))], framing: framing)
    }
    let response = try await exchange.session.promise(for: exchange.request(), downloadingTo: folder.file("in")).value
    #expect(response.status == 200)
    #expect(response["X-Mark"] == "m")
    #expect(try folder.bytes(of: "in") == pattern(count))
    #expect(try folder.names == ["in"])
  }

  @Test("An existing file is replaced only when the whole body has arrived")
  func replaced() async throws {
    let (folder, gate) = (try Folder(), Gate())
    _ = try folder.write(pattern(500), to: "in")
    let exchange = try Exchange { _ in
      Response(pieces: [.text("new "), .call { gate.wait() }, .text("content")])
    }
    let promise = try exchange.session.promise(for: exchange.request(), downloadingTo: folder.file("in"))
    _ = try await ProgressLog(of: promise).first.value
    #expect(try folder.bytes(of: "in") == pattern(500))
    #expect(try folder.names.filter { !$0.hasPrefix(".") } == ["in"])
    gate.open()
    _ = try await promise.value
    #expect(try folder.bytes(of: "in") == Array("new content".utf8))
    #expect(try folder.names == ["in"])
  }

  @Test("A download writes the body of any status", arguments: [201, 400, 404, 500])
  func statuses(_ status: Int) async throws {
    let folder = try Folder()
    let exchange = try Exchange { _ in .text("why", status: status) }
    let response = try await exchange.session.promise(for: exchange.request(), downloadingTo: folder.file("in")).value
    #expect(response.status == status)
    #expect(try folder.bytes(of: "in") == Array("why".utf8))
  }

  @Test("A response without a body creates an empty file", arguments: [204, 205, 304])
  func bodiless(_ status: Int) async throws {
    let folder = try Folder()
    let exchange = try Exchange { _ in .empty(status: status) }
    let response = try await exchange.session.promise(for: exchange.request(), downloadingTo: folder.file("in")).value
    #expect(response.status == status)
    #expect(try folder.bytes(of: "in").isEmpty)
  }

  @Test(
    "A connection that ends too early leaves the file unchanged and no partial file behind", arguments: [true, false])
  func cut(_ hadFile: Bool) async throws {
    let folder = try Folder()
    if hadFile { _ = try folder.write([1, 2, 3], to: "in") }
    let exchange = try Exchange { _ in Response(pieces: [.bytes(pattern(5_000)), .cut], framing: .length(9_000)) }
    let promise = try exchange.session.promise(for: exchange.request(), downloadingTo: folder.file("in"))
    #expect(await promise.failure is URLError)
    #expect(try folder.names == (hadFile ? ["in"] : []))
    if hadFile { #expect(try folder.bytes(of: "in") == [1, 2, 3]) }
  }

  @Test(
    "A cancelled download leaves the file unchanged and no partial file behind", .rule("4.1"), arguments: [true, false])
  func cancelled(_ hadFile: Bool) async throws {
    let (folder, gone) = (try Folder(), Deferred<Void>())
    if hadFile { _ = try folder.write([1, 2, 3], to: "in") }
    let exchange = try Exchange { _ in
      Response(pieces: [.bytes(pattern(500)), .untilGone, .call { gone.fulfill() }], framing: .length(1_000))
    }
    let promise = try exchange.session.promise(for: exchange.request(), downloadingTo: folder.file("in"))
    #expect(try await ProgressLog(of: promise).first.value == 0.5)
    promise.cancel()
    try await gone.promise.value
    #expect(promise.isCancelled)
    // The server may see the cancellation before the client has removed its partial file.
    try await folder.waitUntilNothingIsWritten()
    #expect(try folder.names == (hadFile ? ["in"] : []))
    if hadFile { #expect(try folder.bytes(of: "in") == [1, 2, 3]) }
  }

  @Test("A download into a directory that does not exist rejects with CocoaError")
  func missingDirectory() async throws {
    let folder = try Folder()
    let exchange = try Exchange { _ in .text("body") }
    let promise = try exchange.session.promise(for: exchange.request(), downloadingTo: folder.file("missing/in"))
    #expect((await promise.failure as? CocoaError)?.code == .fileNoSuchFile)
    #expect(try folder.names.isEmpty)
  }

  @Test(
    "File names may contain spaces, percent signs and umlauts",
    arguments: ["a b", "100%41", "grüße", ".hidden", "a+b&c"])
  func names(_ name: String) async throws {
    let folder = try Folder()
    let exchange = try Exchange { _ in .text("body") }
    _ = try await exchange.session.promise(for: exchange.request(), downloadingTo: folder.file(name)).value
    #expect(try folder.names == [name])
    #expect(try folder.bytes(of: name) == Array("body".utf8))
  }

  @Test("A download sends the request unchanged, with its body")
  func request() async throws {
    let folder = try Folder()
    let exchange = try Exchange { .text("\($0.method) \($0["X-A"] ?? "") \($0.bodyText)") }
    var request = try exchange.request(method: "POST")
    request.setValue("b", forHTTPHeaderField: "X-A")
    request.httpBody = Data("query".utf8)
    _ = try await exchange.session.promise(for: request, downloadingTo: folder.file("in")).value
    #expect(try String(decoding: folder.bytes(of: "in"), as: UTF8.self) == "POST b query")
  }

  @Test("Two downloads to the same file leave the complete body of either of them")
  func sameFile() async throws {
    let folder = try Folder()
    let exchange = try Exchange { .bytes(Array(repeating: $0.target == "/a" ? 1 : 2, count: 50_000)) }
    let promises = try ["/a", "/b"].map {
      try exchange.session.promise(for: exchange.request($0), downloadingTo: folder.file("in"))
    }
    for promise in promises { _ = try await promise.value }
    let bytes = try folder.bytes(of: "in")
    #expect(bytes.count == 50_000)
    #expect(Set(bytes).count == 1)
    #expect(try folder.names == ["in"])
  }
}
