import PromiseContexts
import TestSupport
import Testing

// Contains the opening example of Docs/Guides/Cancellation.md, word for word. `Scripts/check-snippets.py` compares it.

/// A server on which all callers share one request.
private final class Server: Sendable {
  private let stops = Locked(0)
  private let towns = Deferred<[String]>()

  var countStopped: Int { stops.withLock { $0 } }

  init() {
    towns.onCancel { [stops] _ in _ = stops.increment() }
  }

  func towns(startingWith text: String) -> Promise<[String]> { towns.promise }
}

@Suite("The guide to cancellation: opening example")
struct CancellationTests {
  private func typed(_ server: Server) -> (hits: Promise<[String]>, best: Promise<String>) {
    let hits = server.towns(startingWith: "Os")
    let best = hits.map { $0.first ?? "no such town" }
    best.cancel(upstream: true)  // the next letter was typed
    return (hits, best)
  }

  @Test("The last consumer that gives up stops the request", .rule("4.4"))
  func stops() {
    let server = Server()
    let (hits, best) = typed(server)
    #expect(hits.isCancelled && best.errorNow is CancellationError)
    #expect(server.countStopped == 1)
  }

  @Test("The request continues as long as another consumer wants it", .rule("4.4"))
  func spares() {
    let server = Server()
    let count = server.towns(startingWith: "Os").map { $0.count }
    let (hits, best) = typed(server)
    #expect(best.isCancelled && hits.isPending && count.isPending)
    #expect(server.countStopped == 0)
  }
}
