import PromiseGates

/// Reads and writes documents on a server that wants a login.
///
/// - Readers that ask for a document at the same time share one request.
/// - A document that was read is kept for a while.
/// - If the server refuses the token, the client logs in again, once for all requests that were refused, and repeats
///   each of them once.
/// - If the server refuses the login, the client signs out: it stops all requests, and refuses further ones. When the
///   client is deallocated, its requests stop, too.
/// - Writes are never shared and never kept. After a write, no reader gets the old text.
final class CachingClient: Sendable {
  private let transport: Transport
  private let login: Login
  private let documents: ValueCache<String, String>
  /// Stops the requests when the client is deallocated. The bag of the login cannot do that, because a pending request
  /// retains the login.
  private let requests = CancelBag()

  /// - Parameters:
  ///   - lifetime: how long a document is kept.
  ///   - timers: the clock by which documents expire.
  ///   - onSignOut: is called once, if the client signs out.
  init(
    lifetime: Duration = .seconds(60), timers: any TimerContext = .standard, transport: Transport,
    onSignOut: @escaping @Sendable () -> Void = {}
  ) {
    self.transport = transport
    let documents = ValueCache<String, String>(lifetime: lifetime, timers: timers, label: "documents")
    self.documents = documents
    login = Login(transport.logIn) {
      documents.removeAll()
      onSignOut()
    }
  }

  /// Returns a promise for this reader alone. When all readers of a document have given up their promises, the request
  /// stops.
  func text(of name: String) -> Promise<String> {
    documents.value(for: name) { [self] in send(.get(name)) }
      .labeled("read \(name)")
  }

  /// Replaces a document.
  func write(_ text: String, to name: String) -> Promise<Void> {
    send(.put(name, text: text))
      // Even a write that has failed, or was cancelled, may have reached the server. A text whose request began before
      // the removal is not kept, and later readers do not get it.
      .always { [documents] _ in documents.removeValue(for: name) }
      .asVoid()
      .labeled("write \(name)")
  }

  func signOut() { login.signOut() }

  private func send(_ message: Message) -> Promise<String> {
    login.authorized(message.label) { [transport] token in transport.send(message, token.text) }
      .bound(to: requests)
  }
}
