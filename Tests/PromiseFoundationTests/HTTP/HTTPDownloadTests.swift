import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

@Suite("Downloads of an HTTPRequest", .bounded)
struct HTTPDownloadTests {
  @Test("A download writes the body to the file and not to the response", arguments: [0, 200_000])
  func content(_ count: Int) async throws {
    let exchange = try Exchange { _ in .bytes(pattern(count), type: "a/b") }
    let request = HTTPRequest.get(exchange.server.address)
    let response = try await exchange.download(request).value
    #expect(response.status == 200)
    #expect(response.contentType == "a/b")
    #expect(response.body.isEmpty)
    #expect(try exchange.folder.bytes(of: "in") == pattern(count))
    #expect(try exchange.folder.names == ["in"])
  }

  @Test(
    "A refused status leaves the file unchanged, and its body is in the error",
    arguments: [true, false], [400, 401, 404, 500])
  func refused(_ hadFile: Bool, _ status: Int) async throws {
    let exchange = try Exchange { _ in .json(#"{"reason": "because"}"#, status: status) }
    if hadFile { _ = try exchange.folder.write([1, 2, 3], to: "in") }
    let request = HTTPRequest.get(exchange.server.address)
    let error = await exchange.download(request).failure
    #expect(error?.caseName == "HTTPError.status")
    let response = try #require((error as? HTTPError)?.response)
    #expect(response.status == status)
    #expect(try response.decoded(as: [String: String].self) == ["reason": "because"])
    #expect(try exchange.folder.names == (hadFile ? ["in"] : []))
    if hadFile { #expect(try exchange.folder.bytes(of: "in") == [1, 2, 3]) }
  }

  @Test("A download writes the body of an accepted status, even of an error status")
  func accepting() async throws {
    let exchange = try Exchange { _ in .text("why", status: 404) }
    let request = HTTPRequest.get(exchange.server.address).accepting(404...404)
    let response = try await exchange.download(request).value
    #expect(response.status == 404)
    #expect(try exchange.folder.bytes(of: "in") == Array("why".utf8))
  }

  @Test(
    "A download into a folder that does not exist rejects with CocoaError",
    arguments: ["missing/in", "missing/deeper/in"])
  func missingFolder(_ path: String) async throws {
    let exchange = try Exchange { _ in .text("body") }
    let request = HTTPRequest.get(exchange.server.address)
    #expect(await exchange.download(request, to: path).failure is CocoaError)
    #expect(try exchange.folder.names.isEmpty)
  }

  @Test("A connection that ends too early leaves the file unchanged")
  func cut() async throws {
    let exchange = try Exchange { _ in Response(pieces: [.bytes(pattern(10)), .cut], framing: .length(20)) }
    _ = try exchange.folder.write([1, 2, 3], to: "in")
    let request = HTTPRequest.get(exchange.server.address)
    #expect(await exchange.download(request).failure is URLError)
    #expect(try exchange.folder.bytes(of: "in") == [1, 2, 3])
    #expect(try exchange.folder.names == ["in"])
  }

  @Test(
    "A download sends the query, the headers and the body, whether the body is data or a file",
    arguments: [true, false])
  func request(_ fromFile: Bool) async throws {
    let exchange = try Exchange {
      .text("\($0.method) \($0.target) \($0["X-A"] ?? "") \($0["Content-Type"] ?? "") \($0.bodyText)")
    }
    let request = HTTPRequest.post(exchange.server.address + "/{p}", ["p": "a b"]).query(["q": 1]).header("X-A", "h")
    let file = try exchange.folder.write(Array("body".utf8), to: "out")
    let whole = fromFile ? request.body(fileAt: file, type: "t/x") : request.body(Data("body".utf8), type: "t/x")
    _ = try await exchange.download(whole).value
    #expect(try String(decoding: exchange.folder.bytes(of: "in"), as: UTF8.self) == "POST /a%20b?q=1 h t/x body")
  }

  @Test("A request that cannot be sent leaves the file unchanged, and nothing is sent")
  func unsendable() async throws {
    let exchange = try Exchange { _ in .text("never") }
    _ = try exchange.folder.write([1, 2, 3], to: "in")
    let request = HTTPRequest.get(exchange.server.address + "/{x}")
    let promise = exchange.download(request)
    #expect(promise.isRejected)
    #expect(await promise.failure is HTTPRequestError)
    #expect(exchange.server.requests.isEmpty)
    #expect(try exchange.folder.bytes(of: "in") == [1, 2, 3])
  }
}
