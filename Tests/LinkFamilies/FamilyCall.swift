package import PromiseContexts

/// An operation of a family, called on a promise with handlers that note in the probe where they run.
package struct FamilyCall: Sendable, CustomStringConvertible {
  package typealias Run = @Sendable (_ start: Promise<Parcel>, _ probe: Probe) -> Promise<Parcel>

  package let family: Family
  /// The name in PromiseCore.
  package let operation: String
  package let isAsync: Bool
  package let run: Run

  package var description: String { "\(family): \(operation)" }

  /// Whether it makes a promise from nothing, and has no start.
  package var isFromNothing: Bool { isMaking || operation.hasPrefix("run") }

  /// Whether it is `Promise(on:) { deferred in … }`.
  package var isMaking: Bool { operation.hasPrefix("init") }

  /// Whether its handler is shown progress, and not the outcome.
  package var showsProgress: Bool { operation.hasPrefix("onProgress") }

  /// The same operation as PromiseCore has it.
  package var original: FamilyCall? { FamilyCall.all.first { $0.family == .core && $0.operation == operation } }
}
