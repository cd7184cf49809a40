import PromiseHTTP
import Testing

/// A server of one file, which answers requests for the rest, and may end a connection before the end of the body.
///
/// Each answer identifies the file by the header that the test chooses.
final class FilmServer: Sendable {
  let content: [UInt8]
  let exchange: Exchange
  private let answered = Log<Void>()

  /// - Parameters:
  ///   - validator: the header that identifies the file, or `nil`.
  ///   - change: changes an answer. It gets the number of the request, from 1.
  ///   - end: returns how many bytes of the body are sent, or `nil` for all. It gets the number of the request, from 1.
  init(
    _ content: [UInt8], validator: (String, String)? = ("ETag", "\"1\""),
    changing change: @escaping @Sendable (Int, inout Response) -> Void = { _, _ in },
    endingAfter end: @escaping @Sendable (Int) -> Int? = { _ in nil }
  ) throws {
    self.content = content
    exchange = try Exchange { [answered] request in
      answered.append(())
      let number = answered.entries.count
      var response = Self.answer(to: request, with: content, validator)
      change(number, &response)
      guard let count = end(number), case .bytes(let bytes)? = response.pieces.first else { return response }
      response.pieces[0] = .bytes(Array(bytes.prefix(count)))
      // The announced length stays, so the client knows that bytes are missing.
      response.framing = .length(bytes.count)
      return response
    }
  }

  private static func answer(
    to request: Request, with content: [UInt8], _ validator: (String, String)?
  ) -> Response {
    var headers = [("Date", "Sun, 06 Nov 1994 08:49:37 GMT")]
    if let validator { headers.append(validator) }
    guard let range = request["Range"], request["If-Range"] == validator?.1,
      let first = Int(range.dropFirst("bytes=".count).dropLast()), first < content.count
    else {
      return Response(headers: headers, pieces: [.bytes(content)])
    }
    headers.append(("Content-Range", "bytes \(first)-\(content.count - 1)/\(content.count)"))
    return Response(status: 206, headers: headers, pieces: [.bytes(Array(content[first...]))])
  }

  var folder: Folder { exchange.folder }
  var file: URL { folder.file("in") }

  /// The values of `Range` of all requests.
  var ranges: [String?] { exchange.server.requests.map { $0["Range"] } }

  func request(_ path: String = "/film") -> HTTPRequest { .get(exchange.server.address + path) }

  func download(
    _ request: HTTPRequest? = nil, continuing part: DownloadPart? = nil
  ) -> Promise<HTTPResponse> {
    exchange.session.promise(for: request ?? self.request(), downloadingTo: file, continuing: part)
  }

  /// Makes a download that leaves a part.
  func interrupted() async throws -> DownloadPart {
    let error = await download().awaitedError
    return try #require(error as? DownloadInterruptedError, "\(String(describing: error))").part
  }

  /// Checks that the file is whole, and that nothing lies beside it.
  func expectWhole(_ location: SourceLocation = #_sourceLocation) throws {
    #expect(try folder.bytes(of: "in") == content, sourceLocation: location)
    #expect(try folder.names == ["in"], sourceLocation: location)
  }
}
