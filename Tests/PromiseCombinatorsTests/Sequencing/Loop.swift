import PromiseCombinators
import TestSupport
import Testing

/// A kind of loop, as a function that calls a closure for a given count of numbers.
struct Loop: Sendable, CustomTestStringConvertible {
  typealias Body = @Sendable (Int) throws -> Promise<Int>

  let testDescription: String
  let start: @Sendable (Int, any ExecutionContext, @escaping Body) -> AnyPromise

  static let all = [
    Loop(testDescription: "forEach") { Promise.forEach(0..<$0, on: $1, $2) },
    Loop(testDescription: "repeat") { count, context, body in
      let next = Locked(0)
      return Promise.repeat(on: context) {
        let number = next.withLock { next in
          defer { next += 1 }
          return next
        }
        return number < count ? try body(number) : nil
      }
    },
    Loop(testDescription: "reduce") { count, context, body in
      Promise.fulfilled(0).reduce(0..<count, on: context) { _, number in try body(number) }
    },
    Loop(testDescription: "reduce(all:)") { count, context, body in
      Promise.reduce(all: (-1..<count).map { .fulfilled($0) }, on: context) { _, number in try body(number) }
    },
    Loop(testDescription: "chain") { count, context, body in
      Promise.chain(0, (0..<count).map { number in { _ in try body(number) } }, on: context)
    },
    Loop(testDescription: "traverse") { Promise.traverse(0..<$0, concurrency: 1, on: $1, $2) },
  ]
}
