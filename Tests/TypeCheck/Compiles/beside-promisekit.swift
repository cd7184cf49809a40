// A file in the middle of a migration from PromiseKit. No hint of this library hides a function of PromiseKit, or makes
// its call ambiguous.
// modes: plain swift5 swift5-complete
import Dispatch
import PromiseCombinators
@preconcurrency import PromiseKit

typealias OldPromise = PromiseKit.Promise
typealias NewPromise = PromiseCombinators.Promise

func old(_ number: Int) -> OldPromise<Int> { .value(number) }
func new(_ number: Int) -> NewPromise<Int> { .fulfilled(number) }
