import Dispatch
import PromiseCombinators
import PromiseContexts
import PromiseCore
import PromiseTesting
import TestSupport
import Testing

// The snippets of Docs/GettingStarted.md, word for word: `make lint` checks that they are here. As a package of its own `make try`
// builds and runs them.

struct NoSuchTown: Error {}

/// The vendor's function: calls back from a thread of its own.
func askStation(_ town: String, completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
  DispatchQueue.global().async {
    switch town {
    case "Oslo": completion(4, nil)
    case "Rome": completion(17, nil)
    default: completion(nil, NoSuchTown())
    }
  }
}

/// Our function: returns a promise of degrees.
func temperature(in town: String) -> Promise<Int> {
  Promise { deferred in askStation(town, completion: deferred.resolve) }
}

/// The temperature of the warmest town. Gives up after five seconds.
func warmest(of towns: [String], ask: (String) -> Promise<Int> = temperature) -> Promise<Int> {
  Promise.all(towns.map(ask))
    .compactMap { $0.max() }
    .timeout(.seconds(5))
}

struct WarmestTests {
  @Test func findsTheWarmest() throws {
    try TestWorld.run { world in
      let degrees = warmest(of: ["a", "bcd"]) { town in .fulfilled(town.count) }
      let found = try world.run(until: degrees)
      #expect(found == 3)
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

@Suite("The guide to getting started: what its programs print is compared by `make try` (row L12: on this platform)")
struct GettingStartedTests {
  private let printed = Log<String>()

  private func print(_ text: String) { printed.append(text) }

  @Test("the first program")
  func first() async throws {
    func report(on town: String) -> Promise<String> {
      temperature(in: town)
        .map { "\(town): \($0) degrees" }
        .recover(from: NoSuchTown.self) { _ in "\(town): nobody measures there" }
    }

    let oslo = report(on: "Oslo")
    let atlantis = report(on: "Atlantis")
    print(try await oslo.value)
    print(try await atlantis.value)
    #expect(printed.entries == ["Oslo: 4 degrees", "Atlantis: nobody measures there"])
  }

  @Test("the second")
  func second() async throws {
    let degrees = warmest(of: ["Oslo", "Rome"])
    print("At most \(try await degrees.value) degrees.")
    #expect(printed.entries == ["At most 17 degrees."])
  }

  @Test("the one with the core alone")
  func core() async throws {
    let answer = Deferred<Int>()
    let text = answer.promise.asyncMap { "The answer is \($0)." }
    answer.fulfill(42)
    print(try await text.value)
    #expect(printed.entries == ["The answer is 42."])
  }
}
