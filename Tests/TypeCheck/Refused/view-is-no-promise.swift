// A view is not a promise. Its property `promise` is.
import PromiseContexts

func chain(_ start: Promise<Int>, _ context: any ExecutionContext) -> Promise<Int> {
  // expect: cannot convert return expression of type 'PromiseOnContext<Int>' to return type 'Promise<Int>'
  start.on(context).map { $0 + 1 }
}

func adopt(_ start: Promise<Int>, _ context: any ExecutionContext) -> PromiseOnContext<Int> {
  // expect: cannot convert value of type 'PromiseOnContext<Int>' to closure result type 'Promise<Int>'
  start.on(context).then { value in Promise.fulfilled(value).on(context) }
}
