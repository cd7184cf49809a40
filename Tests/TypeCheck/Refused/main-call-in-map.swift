// A handler on the pool cannot call a function of the main actor.
// modes: plain main-actor swift5 swift5-complete
import PromiseContexts

@MainActor func format(_ value: Int) -> String { "\(value)" }

func text(_ promise: Promise<Int>) -> Promise<String> {
  // expect: call to main actor-isolated global function 'format' in a synchronous nonisolated context
  promise.map { format($0) }
}
