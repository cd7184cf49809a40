/// Marks sequences that call the closure of an `UnfoldSequence`: the results of `sequence(first:next:)` and
/// `sequence(state:next:)`, and sequences that wrap them.
///
/// `traverse`, `forEach` and `reduce` read their sequence on the context of their closure. A sequence that is not
/// `Sendable` is therefore transferred to them, and the compiler refuses to transfer a sequence whose closures belong
/// to an actor. It cannot refuse an `UnfoldSequence`, which is declared `Sendable` although its closure need not be. In
/// code of the main actor, that closure belongs to the main actor, and would crash the program on another context
/// (`UnfoldSequenceTests` shows it). The overloads for these sequences cannot be called, so such a call does not
/// compile. Pass `Array(…)` instead, or a sequence type of your own that is `Sendable`.
///
/// Three wrappers cannot be marked, so calls with them compile: `AnySequence`, `zip` if only its second sequence is such
/// a one, and a collection of such sequences, which `joined()` reads.
@_documentation(visibility: internal)
public protocol ReadsUnfoldSequence {}

extension UnfoldSequence: ReadsUnfoldSequence {}
extension DropFirstSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension DropWhileSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension EnumeratedSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension FlattenSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension IteratorSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension JoinedSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension LazyDropWhileSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension LazyFilterSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension LazyMapSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension LazyPrefixWhileSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension LazySequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension PrefixSequence: ReadsUnfoldSequence where Base: ReadsUnfoldSequence {}
extension Zip2Sequence: ReadsUnfoldSequence where Sequence1: ReadsUnfoldSequence {}

/// The isolation of overloads that no code can call. The compiler's message states its name as the reason.
@globalActor @_documentation(visibility: internal)
public actor UnfoldSequenceIsNotSendable {
  /// The shared instance. No code runs on it.
  public static let shared = UnfoldSequenceIsNotSendable()
}
