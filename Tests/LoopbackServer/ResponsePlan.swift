/// The head, the framing and the tail of a response, without its pieces.
struct ResponsePlan {
  let head: [UInt8]
  let keepsAlive: Bool
  private let hasBody: Bool
  private let isChunked: Bool

  init(_ response: Response, method: String, keepsAlive wished: Bool) {
    let sum = response.pieces.reduce(0) { $0 + $1.count }
    let isBodiless = [204, 304].contains(response.status)
    hasBody = response.framing == .raw || !isBodiless && method != "HEAD"
    isChunked = hasBody && response.framing == .chunked

    var headers: [(name: String, value: String)] = []
    var ends = !wished || response.pieces.contains { $0.endsConnection }
    switch response.framing {
    case .automatic:
      if !isBodiless { headers.append(("Content-Length", "\(sum)")) }
    case .length(let length):
      headers.append(("Content-Length", "\(length)"))
      // A client that believes the wrong length might send its next request on the same connection.
      ends = ends || hasBody && length != sum
    case .chunked:
      if !isBodiless { headers.append(("Transfer-Encoding", "chunked")) }
    case .untilClose: ends = ends || hasBody
    case .raw: ends = true
    }
    headers += response.headers.map { (name: $0.0, value: $0.1) }
    let saysSo = headers.list("Connection", has: "close")
    if ends, !saysSo { headers.append(("Connection", "close")) }
    keepsAlive = !ends && !saysSo
    head = response.framing == .raw ? [] : Array(Self.head(response.status, headers).utf8)
  }

  /// Returns the bytes in their framing. Without bytes it returns nothing, because an empty chunk would be the last.
  func framed(_ bytes: [UInt8]) -> [UInt8] {
    if !hasBody || bytes.isEmpty { return [] }
    return isChunked ? Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8) : bytes
  }

  var tail: [UInt8] { isChunked ? Array("0\r\n\r\n".utf8) : [] }

  private static func head(_ status: Int, _ headers: [(name: String, value: String)]) -> String {
    let lines = headers.map { "\($0.name): \($0.value)\r\n" }
    return "HTTP/1.1 \(status) \(reason(status))\r\n" + lines.joined() + "\r\n"
  }

  /// Returns the reason phrase, which clients ignore and people read.
  private static func reason(_ status: Int) -> String {
    let known = [
      100: "Continue", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
      301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
      308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
      405: "Method Not Allowed", 409: "Conflict", 413: "Content Too Large", 417: "Expectation Failed",
      429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
      501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
      505: "HTTP Version Not Supported",
    ]
    return known[status] ?? "Status"
  }
}
