import Dispatch
import PromiseCombinators
import PromiseContexts
import PromiseGates
import PromiseTesting
import Synchronization
import TestSupport
import Testing

// Contains the snippets of Docs/Guides/GettingStarted.md, word for word. `Scripts/check-snippets.py` compares them.
// `make try` builds and runs them as a package of its own.

struct NoSuchTown: Error {}

/// The vendor's class. A request calls back from a thread of its own.
nonisolated final class StationRequest: Sendable {
  private let isStopped = Atomic<Bool>(false)

  init(_ town: String, completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
    DispatchQueue.global().async { [self] in
      guard !isStopped.load(ordering: .relaxed) else { return }
      switch town {
      case "Oslo": completion(4, nil)
      case "Rome": completion(17, nil)
      default: completion(nil, NoSuchTown())
      }
    }
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }
}

/// Our function. It returns a promise of degrees.
nonisolated func temperature(in town: String) -> Promise<Int> {
  Promise { deferred in
    let request = StationRequest(town, completion: deferred.resolve)
    deferred.onCancel { [weak request] _ in request?.stop() }
  }
}

nonisolated final class WeatherService: Sendable {
  private let flights = SingleFlight<String, Int>()
  private let limit = ConcurrencyLimit(2)
  private let ask: @Sendable (String) -> Promise<Int>

  init(ask: @escaping @Sendable (String) -> Promise<Int> = { temperature(in: $0) }) { self.ask = ask }

  func degrees(in town: String) -> Promise<Int> {
    flights.run(for: town) { [limit, ask] in
      limit.run { ask(town).timeout(.seconds(5)) }
    }
  }

  func warmest(of towns: [String]) -> Promise<Int> {
    Promise.all(towns.map { degrees(in: $0) }).compactMap { $0.max() }
  }
}

@MainActor
final class WeatherScreen: CancelBagOwner {
  let cancelBag = CancelBag()
  private(set) var text = "…"

  func show(_ town: String, from service: WeatherService) {
    service.degrees(in: town)
      .map { "\(town): \($0) degrees" }
      .bound(to: self)
      .onFulfilled(on: .main) { [weak self] text in self?.text = text }
      .onFailed(on: .main) { [weak self] _ in self?.text = "\(town): not available" }
  }
}

@MainActor
struct WeatherTests {
  let oslo = Deferred<Int>()
  let rome = Deferred<Int>()

  func makeService() -> WeatherService {
    WeatherService { [oslo, rome] town in town == "Oslo" ? oslo.promise : rome.promise }
  }

  @Test func asksOnceForTwoClients() throws {
    try TestWorld.run { world in
      let count = Mutex(0)
      let service = WeatherService { [oslo] _ in
        count.withLock { $0 += 1 }
        return oslo.promise
      }
      let first = service.degrees(in: "Oslo")
      let second = service.degrees(in: "Oslo")
      oslo.fulfill(4)
      try #expect(world.run(until: first) == 4)
      try #expect(world.run(until: second) == 4)
      #expect(count.withLock { $0 } == 1)
    }
  }

  @Test func findsTheWarmest() throws {
    try TestWorld.run { world in
      let warmest = makeService().warmest(of: ["Oslo", "Rome"])
      oslo.fulfill(4)
      rome.fulfill(17)
      try #expect(world.run(until: warmest) == 17)
    }
  }

  @Test func givesUpAfterFiveSeconds() throws {
    try TestWorld.run { world in
      let degrees = makeService().degrees(in: "Oslo")
      world.advance(by: .milliseconds(4_999))
      #expect(degrees.isPending)
      world.advance(by: .milliseconds(1))
      #expect(PromiseError.Code(degrees.error) == .timedOut)
    }
  }

  @Test func stopsWithItsLastClient() throws {
    try TestWorld.run { world in
      let service = makeService()
      let staying = service.degrees(in: "Oslo")
      var screen: WeatherScreen? = WeatherScreen()
      screen?.show("Oslo", from: service)
      world.runUntilIdle()
      screen = nil  // the user leaves
      #expect(oslo.promise.isPending)
      staying.cancel(upstream: true)
      #expect(oslo.promise.isCancelled)
    }
  }
}

@Suite("The programs of the guide to getting started") struct GettingStartedTests {
  private let printed = Log<String>()

  private func print(_ text: String) { printed.append(text) }

  @Test("The first program recovers from one kind of error")
  func first() async throws {
    func report(on town: String) -> Promise<String> {
      temperature(in: town)
        .map { "\(town): \($0) degrees" }
        .recover(from: NoSuchTown.self) { _ in "\(town): no station there" }
    }

    let oslo = report(on: "Oslo")
    let atlantis = report(on: "Atlantis")
    print(try await oslo.value)
    print(try await atlantis.value)
    #expect(printed.entries == ["Oslo: 4 degrees", "Atlantis: no station there"])
  }

  @Test("The limit lets two requests run, and the others wait")
  func limited() throws {
    try TestWorld.run { world in
      let asked = Log<String>()
      let owners = ["a": Deferred<Int>(), "b": Deferred<Int>(), "c": Deferred<Int>()]
      let service = WeatherService { town in
        asked.append(town)
        return owners[town]!.promise
      }
      let warmest = service.warmest(of: ["a", "b", "c"])
      world.runUntilIdle()
      #expect(asked.entries == ["a", "b"])
      owners["a"]?.fulfill(1)
      world.runUntilIdle()
      #expect(asked.entries == ["a", "b", "c"])
      owners["b"]?.fulfill(3)
      owners["c"]?.fulfill(2)
      try #expect(world.run(until: warmest) == 3)
    }
  }
}
