// A handler on a queue cannot access the state of the main actor, even if the queue is the main queue. `isolatedTo:`
// does not isolate a closure to the main actor either.
// modes: plain main-actor swift5 swift5-complete
import Dispatch
import PromiseContexts

@MainActor final class Screen { var total = 0 }

func show(_ promise: Promise<Int>, _ screen: Screen, _ q: DispatchQueue) {
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.tap(on: q) { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.tap(on: .queue(q)) { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.tap(on: DispatchQueue.main) { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a nonisolated context
  promise.tap(isolatedTo: MainActor.shared) { _, total in screen.total = total }
}
