import PromiseContexts
import TestSupport
import Testing

// The opening of Docs/Cancellation.md; its other snippets and its tables have tests of their own in PromiseCoreTests.

private final class Server: Sendable {
  private let stops = Locked(0)
  private let towns = Deferred<[String]>()

  var countStopped: Int { stops.withLock { $0 } }

  func towns(startingWith text: String) -> Promise<[String]> {
    towns.onCancel { [weak self] _ in _ = self?.stops.increment() }
    return towns.promise
  }
}

@Suite("The guide to cancellation: its opening")
struct CancellationTests {
  private func typed(_ server: Server) -> (hits: Promise<[String]>, best: Promise<String>) {
    let hits = server.towns(startingWith: "Os")
    let best = hits.map { $0.first ?? "no such town" }
    best.cancel(upstream: true)  // the next letter was typed
    return (hits, best)
  }

  @Test("rule 4.6: the last who wanted something stops it")
  func abandons() {
    let server = Server()
    let (hits, best) = typed(server)
    #expect(hits.isCancelled && best.errorNow is CancellationError)
    #expect(server.countStopped == 1)
  }

  @Test("rule 4.6: as long as somebody else wants it, it goes on")
  func spares() {
    let server = Server()
    let count = server.towns(startingWith: "Os").map { $0.count }
    let (hits, best) = typed(server)
    #expect(best.isCancelled && hits.isPending && count.isPending)
    #expect(server.countStopped == 0)
  }
}
