import Dispatch
import PromiseCombinators
import PromiseContexts
import PromiseCore
import PromiseGates
import PromiseTesting
import TestSupport
import Testing

// Contains the snippets of Docs/Guides/GettingStarted.md, word for word. `Scripts/check-snippets.py` compares them. `make try` builds
// and runs them as a package of its own.

struct NoSuchTown: Error {}

/// The function of the vendor. It calls back from a thread of its own.
nonisolated func askStation(_ town: String, completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
  DispatchQueue.global().async {
    switch town {
    case "Oslo": completion(4, nil)
    case "Rome": completion(17, nil)
    default: completion(nil, NoSuchTown())
    }
  }
}

/// Our function. It returns a promise of degrees.
nonisolated func temperature(in town: String) -> Promise<Int> {
  Promise { deferred in askStation(town, completion: deferred.resolve) }
}

/// Returns a promise for the temperature of the warmest town. It gives up after five seconds.
func warmest(of towns: [String], ask: (String) -> Promise<Int> = { temperature(in: $0) }) -> Promise<Int> {
  Promise.all(towns.map(ask))
    .compactMap { $0.max() }
    .timeout(.seconds(5))
}

struct WarmestTests {
  @Test func findsTheWarmest() throws {
    try TestWorld.run { world in
      let degrees = warmest(of: ["a", "bcd"]) { town in .fulfilled(town.count) }
      try #expect(world.run(until: degrees) == 3)
    }
  }

  @Test func givesUpAfterFiveSeconds() throws {
    try TestWorld.run { world in
      let silent = Deferred<Int>()
      let degrees = warmest(of: ["a", "b"]) { _ in silent.promise }
      world.advance(by: .milliseconds(4_999))
      #expect(degrees.isPending)
      world.advance(by: .milliseconds(1))
      #expect(throws: PromiseError.self) { try degrees.result?.get() }
    }
  }
}

@MainActor
final class WeatherScreen: CancelBagOwner {
  let cancelBag = CancelBag()
  private(set) var text = "…"

  func show(_ town: String, ask: (String) -> Promise<Int> = { temperature(in: $0) }) {
    ask(town)
      .map { "\(town): \($0) degrees" }
      .recover(from: NoSuchTown.self) { _ in "\(town): no station there" }
      .bound(to: self)
      .onFulfilled(on: .main) { [weak self] text in self?.text = text }
  }
}

@MainActor
struct WeatherScreenTests {
  @Test func showsTheAnswer() throws {
    try TestWorld.run { world in
      let screen = WeatherScreen()
      screen.show("Oslo") { _ in .fulfilled(4) }
      world.runUntilIdle()
      #expect(screen.text == "Oslo: 4 degrees")
    }
  }

  @Test func stopsWhenItIsDismissed() throws {
    try TestWorld.run { world in
      let station = Deferred<Int>()
      var screen: WeatherScreen? = WeatherScreen()
      screen?.show("Oslo") { _ in station.promise }
      #expect(station.promise.isPending)
      screen = nil
      #expect(station.promise.isCancelled)
    }
  }
}

nonisolated final class WeatherService: Sendable {
  private let flights = SingleFlight<String, Int>()
  private let ask: @Sendable (String) -> Promise<Int>

  init(ask: @escaping @Sendable (String) -> Promise<Int> = { temperature(in: $0) }) { self.ask = ask }

  /// The web framework calls this function in a Task for each client.
  func answer(_ town: String) async throws -> String {
    let degrees = flights.run(for: town) { [ask] in ask(town).timeout(.seconds(5)) }
    return try await "\(town): \(degrees.value(cancelsSource: true)) degrees"
  }
}

nonisolated struct WeatherServiceTests {
  @Test func sparesTheOtherClients() throws {
    try TestWorld.run { world in
      let station = Deferred<Int>()
      let service = WeatherService { _ in station.promise }
      let leaving = Promise.task { try await service.answer("Oslo") }
      let staying = Promise.task { try await service.answer("Oslo") }
      world.runUntilIdle()
      leaving.cancel()  // the client disconnects
      world.runUntilIdle()
      #expect(station.promise.isPending)
      station.fulfill(4)
      try #expect(world.run(until: staying) == "Oslo: 4 degrees")
    }
  }

  @Test func stopsWithItsLastClient() throws {
    try TestWorld.run { world in
      let station = Deferred<Int>()
      let service = WeatherService { _ in station.promise }
      let leaving = Promise.task { try await service.answer("Oslo") }
      world.runUntilIdle()
      leaving.cancel()
      world.runUntilIdle()
      #expect(station.promise.isCancelled)
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

  @Test("The command-line tool waits for all towns")
  func second() async throws {
    let degrees = warmest(of: ["Oslo", "Rome"])
    print("At most \(try await degrees.value) degrees.")
    #expect(printed.entries == ["At most 17 degrees."])
  }

  @Test("The core alone runs an async link")
  func core() async throws {
    let answer = Deferred<Int>()
    let text = answer.promise.asyncMap { "The answer is \($0)." }
    answer.fulfill(42)
    print(try await text.value)
    #expect(printed.entries == ["The answer is 42."])
  }
}
