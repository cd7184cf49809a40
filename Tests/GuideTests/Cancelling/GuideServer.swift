import PromiseContexts
import TestSupport

/// The server of the guides to cancellation and to operators. Each call begins a request, which the test settles.
final class GuideServer: Sendable {
  private let pages = Log<(name: String, request: Deferred<String>)>()
  private let lists = Log<(name: String, request: Deferred<[String]>)>()
  private let stops = Log<String>()

  /// The names of all pages that were requested, in order.
  var requested: [String] { pages.entries.map(\.name) }

  /// The names whose requests were stopped, in order.
  var stopped: [String] { stops.entries }

  /// The names of pages whose requests are pending.
  var pending: [String] { pages.entries.filter { $0.request.promise.isPending }.map(\.name) }

  func page(_ name: String) -> Promise<String> { begin(name, in: pages) }

  func towns(startingWith text: String) -> Promise<[String]> { begin(text, in: lists) }

  /// Settles all requests for the page.
  func answer(_ name: String, with result: Result<String, any Error>) {
    for entry in pages.entries where entry.name == name { entry.request.settle(result) }
  }

  func answer(_ text: String, with towns: [String]) {
    for entry in lists.entries where entry.name == text { entry.request.fulfill(towns) }
  }

  func report(_ progress: Double, of name: String) {
    for entry in pages.entries where entry.name == name { entry.request.report(progress: progress) }
  }

  private func begin<Value>(
    _ name: String, in log: Log<(name: String, request: Deferred<Value>)>
  ) -> Promise<Value> {
    let deferred = Deferred<Value>()
    deferred.onCancel(on: .atOnce) { [stops] _ in stops.append(name) }
    log.append((name, deferred))
    return deferred.promise
  }
}
