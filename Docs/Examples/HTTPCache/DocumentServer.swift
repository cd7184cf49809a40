import LoopbackServer
import Synchronization

/// A server with two documents. Its tokens are valid until `endSessions()` is called.
final class DocumentServer: Sendable {
  fileprivate struct State {
    var logins = 0
    var oldest = 1
    var documents = ["engine": "first plan", "numbers": "a table"]
  }

  /// A separate object, because the server's threads must not retain the server.
  private final class Storage: Sendable {
    let state = Mutex(State())
  }

  private let server: LoopbackServer
  private let storage = Storage()

  var address: String { server.address }
  var logins: Int { storage.state.withLock { $0.logins } }

  /// Returns how many requests for documents have arrived, including those that were refused.
  func count(_ method: String) -> Int { server.requests.count { $0.method == method && $0.path != "/login" } }

  /// Makes all tokens invalid, so that clients have to log in again.
  func endSessions() { storage.state.withLock { $0.oldest = $0.logins + 1 } }

  init() throws {
    server = try LoopbackServer { [storage] request in
      storage.state.withLock { state in
        if request.path == "/login" { return state.logIn(request) }
        return state.accepts(request) ? state.answer(request) : .text("log in", status: 401)
      }
    }
  }
}

extension DocumentServer.State {
  fileprivate mutating func logIn(_ request: Request) -> Response {
    guard request.bodyText.contains("password=secret") else { return .text("wrong password", status: 403) }
    logins += 1
    return .text("token-\(logins)")
  }

  fileprivate func accepts(_ request: Request) -> Bool {
    let number = request["Authorization"].flatMap { Int($0.drop { $0 != "-" }.dropFirst()) }
    return number.map { $0 >= oldest } ?? false
  }

  fileprivate mutating func answer(_ request: Request) -> Response {
    let name = String(request.path.dropFirst("/documents/".count))
    if request.method == "PUT" { documents[name] = request.bodyText }
    return documents[name].map { .text($0) } ?? .notFound
  }
}
