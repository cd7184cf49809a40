/// A sequence that calls the closure of an `UnfoldSequence`: the result of `sequence(first:next:)` or
/// `sequence(state:next:)`, or a sequence over it.
///
/// `traverse`, `forEach` and `reduce` read their sequence on the context of their closure. A sequence that is not
/// `Sendable` is therefore transferred to them, and the compiler refuses to transfer one whose closures belong to an
/// actor. It cannot do so for `UnfoldSequence`, which is declared `Sendable` although its closure need not be: in code of
/// the main actor, that closure belongs to the main actor and would trap elsewhere. The overloads for these sequences
/// cannot be called, so such a call does not compile. Pass `Array(…)`, or a sequence type of your own that is `Sendable`.
@_documentation(visibility: internal)
public protocol ReadsUnfoldSequence {}

extension UnfoldSequence: ReadsUnfoldSequence {}
extension DropFirstSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension EnumeratedSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension LazySequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension PrefixSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension Zip2Sequence: ReadsUnfoldSequence where Sequence1: ReadsUnfoldSequence {}

/// The isolation of overloads that nothing can call: the compiler's message gives its name as the reason.
@globalActor @_documentation(visibility: internal)
public actor UnfoldSequenceIsNotSendable {
  /// Nothing runs on it.
  public static let shared = UnfoldSequenceIsNotSendable()
}
