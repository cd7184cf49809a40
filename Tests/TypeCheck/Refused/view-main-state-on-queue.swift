// The views of other contexts are not the main actor's, not even that of the main queue, nor after another view.
import Dispatch
import PromiseContexts

@MainActor final class Screen { var total = 0 }

func show(_ promise: Promise<Int>, _ screen: Screen, _ q: DispatchQueue) {
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.on(q).tap { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.on(.queue(.main)).tap { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.on(.task(priority: .high)).onFulfilled { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.on(.main).on(q).tap { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.on(.main).promise.tap { screen.total = $0 }
}
