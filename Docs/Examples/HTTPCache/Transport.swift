import Foundation
import PromiseHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request to read a document, or to replace it.
enum Message: Sendable, Equatable {
  case get(String)
  case put(String, text: String)

  /// Names the request in recordings, without the text of a document.
  var label: String {
    switch self {
    case .get(let name): "GET \(name)"
    case .put(let name, _): "PUT \(name)"
    }
  }
}

/// The server does not accept the token, or accepts it no longer.
struct Unauthorized: Error {}

/// The server does not accept the user any more.
struct LoginRefused: Error {}

/// Sends messages to the server. Tests replace it with closures that return promises of their own.
struct Transport: Sendable {
  /// Sends a message with a token. Rejects with `Unauthorized` if the server refuses the token.
  let send: @Sendable (Message, _ token: String) -> Promise<String>
  /// Returns a promise for a new token. Rejects with `LoginRefused` if the server refuses the user.
  let logIn: @Sendable () -> Promise<String>
}

extension Transport {
  /// Creates a transport to the server at an address.
  init(address: String, session: URLSession) {
    send = { message, token in
      session.promise(for: message.request(to: address).header("Authorization", "Bearer \(token)"))
        .map(\.text)
        .mapError { error in (error as? HTTPError)?.response?.status == 401 ? Unauthorized() : error }
    }
    logIn = {
      session.promise(for: .post("\(address)/login").form(["user": "ada", "password": "secret"]))
        .map(\.text)
        .mapError { error in (error as? HTTPError)?.response?.status == 403 ? LoginRefused() : error }
    }
  }
}

extension Message {
  fileprivate func request(to address: String) -> HTTPRequest {
    switch self {
    case .get(let name): .get("\(address)/documents/{name}", ["name": name])
    case .put(let name, let text):
      .put("\(address)/documents/{name}", ["name": name]).body(Data(text.utf8), type: "text/plain")
    }
  }
}
