import Synchronization
import TestSupport

@testable import http_cache

struct Offline: Error {}

/// A server in memory, with documents and tokens. It takes two steps to answer, so that other things may happen in
/// between.
final class DocumentServer: Sendable {
  private struct State {
    var documents: [String: String]
    var logins = 0
    var oldestToken = 1
    var losesAnswers = false
    var refusesLogins = false
  }

  /// The messages that have arrived, each with its token.
  let messages = Log<String>()
  private let state: Mutex<State>

  init(_ documents: [String: String]) { state = Mutex(State(documents: documents)) }

  var logins: Int { state.withLock { $0.logins } }

  var transport: Transport {
    Transport(send: { [self] message, token in answer(message, token) }, logIn: { [self] in logIn() })
  }

  /// From now on, tokens are refused unless they come from a later login.
  func endSessions() { state.withLock { $0.oldestToken = $0.logins + 1 } }

  /// From now on, messages arrive, but their answers are lost.
  func loseAnswers(_ loses: Bool = true) { state.withLock { $0.losesAnswers = loses } }

  func refuseLogins(_ refuses: Bool = true) { state.withLock { $0.refusesLogins = refuses } }

  private func answer(_ message: Message, _ token: String) -> Promise<String> {
    Promise.run { [self] in
      messages.append("\(message) \(token)")
      return try state.withLock { state in
        guard Int(token).map({ $0 >= state.oldestToken }) ?? false else { throw Unauthorized() }
        if case .put(let name, let text) = message { state.documents[name] = text }
        return state.documents[message.name] ?? ""
      }
    }
    .map { [self] text in
      if state.withLock({ $0.losesAnswers }) { throw Offline() }
      return text
    }
  }

  private func logIn() -> Promise<String> {
    Promise.run { [self] in
      try state.withLock { state in
        state.logins += 1
        if state.refusesLogins { throw Offline() }
        return state.logins
      }
    }
    .map { "\($0)" }
  }
}

extension Message {
  fileprivate var name: String {
    switch self {
    case .get(let name), .put(let name, _): name
    }
  }
}

extension Message: CustomStringConvertible {
  public var description: String {
    switch self {
    case .get(let name): "get \(name)"
    case .put(let name, let text): "put \(name) \(text)"
    }
  }
}
