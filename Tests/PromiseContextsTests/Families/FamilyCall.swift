import PromiseContexts
import Testing

/// An operation of a family, called on a promise with handlers that note in the probe where they run.
struct FamilyCall: Sendable, CustomTestStringConvertible {
  typealias Run = @Sendable (_ start: Promise<Int>, _ probe: Probe) -> Promise<Int>

  let family: Family
  /// The name in PromiseCore.
  let operation: String
  let isAsync: Bool
  let run: Run

  var testDescription: String { "\(family): \(operation)" }

  /// Whether it makes a promise from nothing, and has no start.
  var isFromNothing: Bool { isMaking || operation.hasPrefix("run") }

  /// Whether it is `Promise(on:) { deferred in … }`.
  var isMaking: Bool { operation.hasPrefix("init") }

  /// Whether its handler is shown progress, and not the outcome.
  var showsProgress: Bool { operation.hasPrefix("onProgress") }

  /// The same operation as PromiseCore has it.
  var original: FamilyCall? { FamilyCall.all.first { $0.family == .core && $0.operation == operation } }
}
