/// What a link does when its turn comes, built by the generic methods of `Promise` where all types are concrete.
///
/// `from` is the promise whose outcome is at hand; `to` is the derived promise (`from` again for an observer). It runs
/// the user's handler if there is one for this outcome, else it hands on the value of `from`; errors without a handler
/// never get here. It claims `to` and writes its payload; publishing is left to the engine, after the body and all it
/// captured have been released (rule 2.4).
@usableFromInline
package typealias LinkFunction = @Sendable (_ from: AnyPromise, _ to: AnyPromise) -> Verdict

/// A link function beside the user's handler that it calls, not around it.
///
/// A closure that captures the handler would be a block of memory more for every link (M2): a context with nothing in it
/// but the handler. So the two are kept side by side, and their types forgotten; `call` is given the handler when it is
/// called, and itself captures nothing where its types are concrete.
///
/// `@safe`: what is kept came here together, so a `call` is only ever given a handler of the type that it was written for.
/// Any handler is one closure, and so two words; and a `Call` is given it by address, whatever its type.
@safe @usableFromInline
package struct LinkBody: Sendable {
  private let call: Call<ErasedHandler>
  private let handler: ErasedHandler

  @usableFromInline
  init(_ call: Call<ErasedHandler>, of handler: ErasedHandler) {
    self.call = call
    self.handler = handler
  }

  /// A function that calls a handler.
  @inlinable
  init<Handler: LinkHandler>(
    _ handler: Handler,
    _ call: @escaping @Sendable (Handler, _ from: AnyPromise, _ to: AnyPromise) -> Verdict
  ) {
    unsafe self.init(
      unsafeBitCast(Call(closure: call), to: Call<ErasedHandler>.self),
      of: unsafeBitCast(handler, to: ErasedHandler.self))
  }

  /// A function that captures what it needs.
  @usableFromInline
  package init(_ function: @escaping LinkFunction) {
    self.init(FunctionHandler(closure: function)) { function, from, to in function.closure(from, to) }
  }

  func callAsFunction(_ from: AnyPromise, _ to: AnyPromise) -> Verdict { call.closure(handler, from, to) }

  @usableFromInline
  struct Call<Handler: LinkHandler>: Sendable {
    @usableFromInline let closure: @Sendable (Handler, AnyPromise, AnyPromise) -> Verdict

    @inlinable
    init(closure: @escaping @Sendable (Handler, AnyPromise, AnyPromise) -> Verdict) { self.closure = closure }
  }

  /// A link function in the place of a handler.
  private struct FunctionHandler: LinkHandler {
    let closure: LinkFunction
  }

  /// A handler whose type was forgotten.
  @usableFromInline
  struct ErasedHandler: LinkHandler {
    private let closure: @Sendable () -> Void
  }
}
