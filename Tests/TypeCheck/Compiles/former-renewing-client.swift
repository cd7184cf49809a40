// The client of Docs/Examples/HTTPCache, as it is written with PromiseKit. Docs/Migrating/WholePrograms.md shows it.
// All state belongs to the main queue, where handlers run unless they name another one.
// modes: swift5
import PromiseKit

struct Unauthorized: Error {}
struct LoginRefused: Error {}
struct SignedOut: Error {}

protocol Transport {
  func send(_ message: String, _ token: String) -> Promise<String>
  func logIn() -> Promise<String>
}

/// A request that its client can give up. PromiseKit 8 has no cancellation, so the transfer goes on.
final class Request {
  let promise: Promise<String>
  let seal: Resolver<String>

  init() { (promise, seal) = Promise<String>.pending() }

  func cancel() { seal.reject(PMKError.cancelled) }
}

final class RenewingClient {
  private let transport: Transport
  private let onSignOut: () -> Void
  private var token: String?
  private var login: Promise<String>?
  private var isSignedOut = false
  private var requests: [Request] = []

  init(_ transport: Transport, onSignOut: @escaping () -> Void) {
    self.transport = transport
    self.onSignOut = onSignOut
  }

  func send(_ message: String) -> Request {
    let request = Request()
    requests.append(request)
    token(insteadOf: nil)
      .then { token in
        self.transport.send(message, token).recover { error -> Promise<String> in
          guard error is Unauthorized, request.promise.isPending else { throw error }
          return self.token(insteadOf: token).then { self.transport.send(message, $0) }
        }
      }
      .ensure { self.requests.removeAll { $0 === request } }
      .pipe(to: request.seal.resolve)
    return request
  }

  /// Requests that ask during a login share it.
  private func token(insteadOf refused: String?) -> Promise<String> {
    if isSignedOut { return Promise(error: SignedOut()) }
    if let token, token != refused { return .value(token) }
    if let login { return login }
    token = nil
    let login = transport.logIn()
      .get { if !self.isSignedOut { self.token = $0 } }
      .ensure { self.login = nil }
      .recover { error -> Promise<String> in
        if error is LoginRefused { self.signOut() }
        throw error
      }
    self.login = login
    return login
  }

  func signOut() {
    if isSignedOut { return }
    isSignedOut = true
    token = nil
    for request in requests { request.seal.reject(SignedOut()) }
    onSignOut()
  }
}
