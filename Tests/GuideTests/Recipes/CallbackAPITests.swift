import PromiseContexts
import PromiseTesting
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/CallbackAPI.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Place: Equatable, Sendable {
  let name: String
}

/// A map service that answers when the test tells it to. Its requests retain their completion handlers, as in most
/// services.
private final class Maps: Sendable {
  final class Lookup: Sendable {
    let completion: @Sendable (Place?, (any Error)?) -> Void
    private let count = Locked(0)

    init(_ completion: @escaping @Sendable (Place?, (any Error)?) -> Void) { self.completion = completion }
    func cancel() { _ = count.increment() }
    var cancellations: Int { count.withLock { $0 } }
  }

  let lookups = Locked<[Lookup]>([])

  func find(_ name: String, completion: @escaping @Sendable (Place?, (any Error)?) -> Void) -> Lookup {
    let lookup = Lookup(completion)
    lookups.withLock { $0.append(lookup) }
    return lookup
  }

  func address(
    of place: Place, success: @escaping @Sendable (String) -> Void, failure: @escaping @Sendable (any Error) -> Void
  ) {
    if place.name.isEmpty { failure(TestError(1)) } else { success("1 Main Street, \(place.name)") }
  }

  var first: Lookup? { lookups.withLock { $0.first } }
  func forget() { lookups.withLock { $0.removeAll() } }
}

private struct Guide: Sendable {
  let maps = Maps()

  func place(named name: String) -> Promise<Place> {
    Promise { deferred in
      let lookup = maps.find(name, completion: deferred.resolve)
      deferred.onCancel { [weak lookup] _ in lookup?.cancel() }
    }
  }

  func address(of place: Place) -> Promise<String> {
    Promise { deferred in
      maps.address(of: place, success: deferred.resolve, failure: { deferred.reject($0) })
    }
  }
}

@Suite("The recipe for a callback API")
struct CallbackAPITests {
  private let guide = Guide()
  private var maps: Maps { guide.maps }

  @Test("The callback settles the promise, and a second call changes nothing")
  func callback() {
    let oslo = guide.place(named: "Oslo")
    #expect(oslo.isPending)
    maps.first?.completion(Place(name: "Oslo"), nil)
    maps.first?.completion(nil, TestError(1))
    #expect(oslo.valueNow == Place(name: "Oslo"))

    let rome = guide.place(named: "Rome")
    maps.lookups.withLock { $0.last }?.completion(nil, TestError(2))
    #expect(rome.errorNow as? TestError == TestError(2))
  }

  @Test("A client that gives up stops the request exactly once", .rule("4.4", "4.5"))
  func giveUp() {
    let label = guide.place(named: "Oslo").map { $0.name }
    label.cancel(upstream: true)
    #expect(maps.first?.cancellations == 1)
    maps.first?.completion(Place(name: "Oslo"), nil)
    #expect(label.isCancelled)
  }

  @Test("A request that the service drops rejects the promise", .rule("6.2"))
  func dropped() {
    let oslo = guide.place(named: "Oslo")
    maps.forget()
    #expect(name(of: oslo.errorNow) == "broken")
  }

  @Test("An API with two callbacks settles the promise through either callback")
  func two() {
    #expect(guide.address(of: Place(name: "Oslo")).valueNow == "1 Main Street, Oslo")
    #expect(guide.address(of: Place(name: "")).errorNow is TestError)
  }
}
