import Foundation
import PromiseHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the requests that the server answers.
struct NotesAPI: Sendable {
  let address: String
  let session: URLSession

  /// Returns a promise for the user's token. Rejects with `HTTPError.status` if the password is wrong.
  func logIn(user: String, password: String) -> Promise<String> {
    let request = HTTPRequest.post("\(address)/login").form(["user": user, "password": password])
    return session.promise(for: request, decoding: Login.self).map { $0.token }
  }

  /// Returns a promise for the response with the user's notes, which are not parsed yet.
  func notes(of user: String, token: String) -> Promise<HTTPResponse> {
    let request = HTTPRequest.get("\(address)/users/{user}/notes", ["user": user])
      .header("Authorization", "Bearer \(token)")
      .header("Accept", "application/json")
    return session.promise(for: request)
  }

  private struct Login: Decodable, Sendable {
    let token: String
  }
}
