import Foundation
import PromiseGates
import Synchronization

/// Decides when a request may begin.
final class RequestQueues: Sendable {
  private struct Host: Sendable {
    let places: ConcurrencyLimit
    let rate: RateLimit
  }

  private let rules: Rules
  private let places: ConcurrencyLimit
  private let hosts = Mutex<[String: Host]>([:])

  init(_ rules: Rules) {
    self.rules = rules
    places = ConcurrencyLimit(rules.requests, label: "all hosts")
  }

  /// Calls the closure when the rules allow it. The request keeps its place until the closure's promise is settled.
  ///
  /// The order of the three gates matters. The rate limit comes last, because a request that has passed it must begin
  /// at once. The limit for the host comes first, so that requests to a slow host cannot take all places.
  func run(for url: URL, _ request: @escaping @Sendable () -> Promise<Page>) -> Promise<Page> {
    let host = host(of: url)
    return host.places.run { [places] in
      places.run { host.rate.run(request) }
    }
  }

  private func host(of url: URL) -> Host {
    hosts.withLock { hosts in
      let name = "\(url.host ?? ""):\(url.port ?? 0)"
      let host =
        hosts[name]
        ?? Host(
          places: ConcurrencyLimit(rules.requestsPerHost, label: name),
          rate: RateLimit(rules.requestsPerSecond, per: .seconds(1), label: name))
      hosts[name] = host
      return host
    }
  }
}
