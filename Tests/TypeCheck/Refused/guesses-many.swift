// Misuse of combinators that take promises as a list of arguments. No message mentions the parameters `fileID` and
// `line`.
import PromiseCombinators

func guess(_ promise: Promise<Int>, _ other: Promise<Int>, _ names: Promise<String>) {
  // expect: cannot convert value of type 'Promise<String>' to expected argument type 'Promise<Int>'
  _ = Promise.race(promise, names)
  // expect: cannot convert value of type 'Promise<String>' to expected argument type 'Promise<Int>'
  _ = Promise.any(promise, names)
  // expect: cannot convert value of type 'Int' to expected argument type 'Promise<Int>'
  _ = Promise.race(promise, 5)
  // expect: cannot pass array of type '[Promise<Int>]' as variadic arguments of type 'Promise<Int>'
  _ = Promise.race(promise, [other])
  // expect: incorrect argument label in call
  _ = Promise.race(promise, other, cancelLosers: true)
  // expect: requires that 'Promise<Int>' conform to 'Sequence'
  // expect: generic parameter 'Element' could not be inferred
  _ = Promise.all(promise)
  // expect: cannot convert value of type 'Int' to expected argument type 'Promise<Second>'
  // expect: generic parameter 'Second' could not be inferred
  _ = Promise.all(promise, 5)
  // expect: cannot convert value of type 'Int' to expected argument type 'Promise<Second>'
  // expect: generic parameter 'Second' could not be inferred
  _ = Promise.allSettled(promise, 5)
  // expect: requires that 'Promise<Int>' conform to 'Sequence'
  // expect: generic parameter 'Element' could not be inferred
  _ = Promise.allSettled(promise)
  // expect: missing argument for parameter #1 in call
  // expect: generic parameter 'Value' could not be inferred
  _ = Promise.race()
  // expect: requires the types 'Int' and '()' be equivalent
  _ = Promise<Int>.allSettled(promise, names)
}
