package import PromiseContexts

/// A call of an operation of a family. Its handlers note in the probe where they run.
package struct FamilyCall: Sendable, CustomStringConvertible {
  package typealias Run = @Sendable (_ start: Promise<Parcel>, _ probe: Probe) -> Promise<Parcel>

  package let family: Family
  /// The name of the operation in PromiseCore.
  package let operation: String
  package let isAsync: Bool
  package let run: Run

  package var description: String { "\(family): \(operation)" }

  /// Whether the operation makes a promise without a source.
  package var isFromNothing: Bool { isMaking || operation.hasPrefix("run") }

  /// Whether the operation is `Promise(on:) { deferred in … }`.
  package var isMaking: Bool { operation.hasPrefix("init") }

  /// Whether the handler gets progress instead of the outcome.
  package var showsProgress: Bool { operation.hasPrefix("onProgress") }

  /// The call of the same operation in the family of PromiseCore.
  package var original: FamilyCall? { FamilyCall.all.first { $0.family == .core && $0.operation == operation } }
}
