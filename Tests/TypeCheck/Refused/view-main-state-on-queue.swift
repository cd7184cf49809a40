// Views on other contexts cannot access the state of the main actor, even if the context is the main queue or the view
// follows a view on the main actor.
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
