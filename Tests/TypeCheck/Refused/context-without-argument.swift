// A context that needs an argument is used without one.
import PromiseContexts

func chain(_ promise: Promise<Int>) {
  // expect: name the queue: `on: .queue(queue)`, or `on: queue`
  _ = promise.map(on: .queue) { $0 + 1 }
  // expect: name the queue: `on: .concurrent(queue)`
  _ = promise.map(on: .concurrent) { $0 + 1 }
  // expect: name the executor: `on: .executor(executor)`
  _ = promise.map(on: .executor) { $0 + 1 }
}
