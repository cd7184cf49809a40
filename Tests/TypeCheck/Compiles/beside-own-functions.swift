// Functions of a client with names that other promise libraries have, too. A hint of the same name would make the call
// an overloaded one, and the compiler infers less about the closures of overloaded calls.
// modes: plain swift5
import PromiseCombinators

func race(_ bodies: [@Sendable () -> Void]) { for body in bodies { body() } }
func retry<Value>(attempts: Int, _ body: @escaping @Sendable () throws -> Value) rethrows -> Value { try body() }
func attempt<Value>(_ body: @escaping @Sendable () throws -> Value) rethrows -> Value { try body() }
func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) { body() }
func all(_ bodies: [@Sendable () -> Bool]) -> Bool { bodies.allSatisfy { $0() } }
func any(_ bodies: [@Sendable () -> Bool]) -> Bool { bodies.contains { $0() } }

func use(_ numbers: [Int], _ owner: Deferred<Int>) throws {
  race(numbers.map { number in { if owner.fulfill(number) { print(number) } } })
  let sum = try retry(attempts: 3) {
    let sum = numbers.reduce(0, +)
    guard sum > 0 else { throw CancellationError() }
    return sum
  }
  let product = try attempt {
    guard sum > 0 else { throw CancellationError() }
    return numbers.reduce(1, *)
  }
  after(1) { print(sum, product) }
  if all(numbers.map { number in { number > 0 } }) { print("all") }
  if any(numbers.map { number in { number > 0 } }) { print("any") }
}
