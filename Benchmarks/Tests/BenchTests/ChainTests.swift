import PromiseCore
import Testing

@testable import bench

extension CountingTests {
  @Suite("Chains of eight links")
  struct ChainTests {
    @Test("A job never runs inside schedule, and jobs run in order, including those scheduled during the run")
    func loop() {
      let loop = LoopContext()
      let log = Log()
      let promises = (1...2).map { number in
        Promise.run(on: loop) { log.add(number) }.map(on: loop) { log.add(10 * number) }
      }
      #expect(log.numbers == [])
      #expect(loop.run() == 4)
      #expect(log.numbers == [1, 2, 10, 20])
      #expect(promises.map(\.isFulfilled) == [true, true])
      #expect(loop.run() == 0)
    }

    @Test("A chain runs eight links, and the last link receives their number", arguments: Holding.allCases)
    func links(holding: Holding) {
      let loop = LoopContext()
      let log = Log()
      var chain = Chain()
      chain.start(on: loop, holding: holding) { log.add($0) }
      #expect(log.numbers == [])
      #expect(loop.run() == 8)
      #expect(log.numbers == [8])
    }

    @Test("The program holds the parts of a chain that the workload names until the chain is released")
    func holding() {
      let loop = LoopContext()
      let held = Holding.allCases.map { holding in
        var chain = Chain()
        chain.start(on: loop, holding: holding) { _ in }
        loop.run()
        let found = (owner: chain.owner != nil, promises: chain.promises.filter(\.isFulfilled).count)
        chain.release()
        #expect(chain.owner == nil && chain.promises.isEmpty)
        return found
      }
      #expect(held.map(\.owner) == [false, true, true])
      #expect(held.map(\.promises) == [0, 0, 9])
    }

    @Test("Chains on a queue run all their links, and measure throws if a link is missing", arguments: Holding.allCases)
    func relay(holding: Holding) throws {
      #expect(try ChainRelay.measure(80, holding: holding) > 0)
      #expect(message { try ChainRelay.measure(81, holding: holding) }?.hasSuffix("80 of 81 handlers have run") == true)
    }

    @Test(
      "The threads of a round run all links together, and measure throws if a link is missing", arguments: [1, 2, 8])
    func scaled(threads: Int) throws {
      for holding in Holding.allCases {
        #expect(try ScaledChains.measure(128, holding: holding, threads: threads) > 0)
        let message = message { try ScaledChains.measure(129, holding: holding, threads: threads) }
        #expect(message?.hasSuffix("128 of 129 links have run") == true)
      }
    }

    @Test(
      "A round makes as many objects as chains of which no part is held, and measure throws if an object is missing")
    func objects() throws {
      #expect(ScaledObjects.run(3) == 3 * (8 * 3 + 2))
      #expect(try ScaledObjects.measure(128, threads: 2) > 0)
      // Two threads cannot share three chains, so they leave one of them out.
      #expect(message { try ScaledObjects.measure(24, threads: 2) }?.hasSuffix("52 made for 24 links") == true)
    }

    @Test("Each scaled workload divides evenly among its threads", arguments: [Mode.full, .quick])
    func shares(mode: Mode) {
      let scaled = Workload.all.filter { $0.id.hasPrefix("W13") }
      #expect(scaled.count == 6)
      #expect(scaled.allSatisfy { $0.count(in: mode).isMultiple(of: 8 * Chain.links) })
    }

    private func message(_ body: () throws -> Double) -> String? {
      do {
        _ = try body()
        return nil
      } catch {
        return "\(error)"
      }
    }
  }
}

/// A log of numbers. `@unchecked`, because only the test's thread uses it.
private final class Log: @unchecked Sendable {
  private(set) var numbers: [Int] = []

  func add(_ number: Int) { numbers.append(number) }
}
