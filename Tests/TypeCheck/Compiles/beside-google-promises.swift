// A file in the middle of a migration from google/promises. No hint of this library hides a function of that library,
// or makes its call ambiguous.
// modes: plain swift5 swift5-complete
import Dispatch
import PromiseCombinators
@preconcurrency import Promises

typealias OldPromise = Promises.Promise
typealias NewPromise = PromiseCombinators.Promise

func old(_ number: Int) -> OldPromise<Int> { OldPromise(number) }
func new(_ number: Int) -> NewPromise<Int> { .fulfilled(number) }
