import PromiseContexts
import TestSupport

/// Requests to a server. The test answers them.
final class Requests<Name: Equatable & Sendable, Answer: Sendable>: Sendable {
  private let requests = Locked<[(name: Name, deferred: Deferred<Answer>)]>([])
  private let names = Log<Name>()
  private let stops = Log<Name>()

  /// The names of all requests, in order.
  var requested: [Name] { names.entries }

  /// The names of the requests that were stopped, in order.
  var stopped: [Name] { stops.entries }

  /// The names of the requests that are pending. Releases the others.
  var pending: [Name] {
    requests.withLock { requests in
      requests.removeAll { !$0.deferred.promise.isPending }
      return requests.map(\.name)
    }
  }

  @Sendable func begin(_ name: Name) -> Promise<Answer> {
    let deferred = Deferred<Answer>()
    deferred.onCancel(on: .atOnce) { [stops] _ in stops.append(name) }
    names.append(name)
    requests.withLock { $0.append((name, deferred)) }
    return deferred.promise
  }

  /// Settles the last request of this name.
  func answer(_ name: Name, with result: Result<Answer, any Error>) {
    requests.withLock { $0.last { $0.name == name } }?.deferred.settle(result)
  }
}

/// The server of the guides to cancellation and to operators.
typealias GuideServer = Requests<String, String>

extension GuideServer {
  func page(_ name: String) -> Promise<String> { begin(name) }
}
