// What a file that imports PromiseKit, too, has to write in full.
// modes: plain swift5
import PromiseCombinators
@preconcurrency import PromiseKit

// case promise: both libraries have a `Promise`
// expect: 'Promise' is ambiguous for type lookup in this context
func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
// case result: PromiseKit has a `Result` of its own
// expect: generic type 'Result' specialized with too many type parameters (got 2, but expected 1)
func show(_ result: Result<Int, any Error>) { print(result) }
// end cases
