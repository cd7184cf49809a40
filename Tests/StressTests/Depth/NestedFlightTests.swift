import PromiseGates
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: flights that wait for each other")
  struct NestedFlightTests {
    enum Ending: CaseIterable, Sendable {
      case fulfilled, rejected, cancelled, cancelledBelow, cancelledByAll, givenUp, ownerDropped
    }

    /// The number of flights, each of which waits for the previous flight. Recursion over a twentieth of the depth
    /// would overflow the small stack.
    private static let long = Effort.of(deep / 20, full: deep / 5)

    @Test(
      "Flights, or loads of a cache, that wait for each other are begun, settled and cancelled iteratively",
      .rule("4.4", "4.8", "6.4"), arguments: Ending.allCases, [false, true])
    func nested(_ ending: Ending, inCache: Bool) async {
      if inCache, ending != .fulfilled, ending != .rejected { return }
      for thread in DeepThread.some { await thread.expect { Self.isRight(ending, inCache: inCache) } }
    }

    private static func isRight(_ ending: Ending, inCache: Bool) -> Bool {
      let context = Trampoline()
      let hooks = Log<Int>()
      weak var probe: AnyObject?
      var isRight = true
      do {
        let (flights, cache) = (SingleFlight<Int, Int>(), ValueCache<Int, Int>())
        probe = inCache ? cache : flights
        var owner: Deferred<Int>? = Deferred<Int>()
        owner?.onCancel { hooks.append(($0 as? TestError)?.number ?? 0) }
        guard let root = owner?.promise else { return false }
        @Sendable func get(_ number: Int) -> Promise<Int> {
          let load: @Sendable () -> Promise<Int> = { number == 0 ? root : get(number - 1) }
          return inCache ? cache.value(for: number, on: context, load) : flights.run(for: number, on: context, load)
        }
        let end = get(long)
        let other = get(long)
        context.run()
        switch ending {
        case .fulfilled: owner?.fulfill(7)
        case .rejected: owner?.reject(TestError(1))
        case .cancelled: root.cancel(reason: TestError(2))
        case .cancelledBelow: end.cancel()
        case .cancelledByAll:
          other.cancel()
          end.cancel(reason: TestError(3))
        case .givenUp:
          end.cancel(upstream: true)
          other.cancel(upstream: true)
        case .ownerDropped: owner = nil
        }
        context.run()
        switch ending {
        case .fulfilled: isRight = end.state.value == 7 && other.state.value == 7 && hooks.entries.isEmpty
        case .rejected, .ownerDropped: isRight = end.isRejected && other.isRejected && hooks.entries.isEmpty
        case .cancelled: isRight = end.isCancelled && other.isCancelled && hooks.entries == [2]
        case .cancelledBelow: isRight = end.isCancelled && other.isPending && root.isPending
        // The reason of the last caller reaches the root.
        case .cancelledByAll: isRight = root.isCancelled && hooks.entries == [3]
        case .givenUp: isRight = root.isCancelled && hooks.entries == [0]
        }
        owner?.fulfill(7)
        context.run()
        _ = (end.result, other.result)
      }
      return isRight && probe == nil
    }

    @Test("Gates that wait for each other to become idle become idle iteratively", .rule("6.4"))
    func gatesInARow() async {
      for thread in DeepThread.some {
        await thread.expect {
          let context = Trampoline()
          let root = Deferred<Void>()
          var gates: [ConcurrencyLimit] = []
          var last = root.promise
          for _ in 0..<Self.long {
            let gate = ConcurrencyLimit(1)
            let awaited = last
            _ = gate.run(on: context) { awaited }
            last = gate.whenIdle()
            gates.append(gate)
          }
          context.run()
          root.fulfill(())
          context.run()
          return last.isFulfilled && gates.allSatisfy { $0.runningCount == 0 }
        }
      }
    }
  }
}
