/// The function that runs for an outcome of a settled promise. The generic methods of `Promise` build it where all
/// types are concrete.
///
/// `from` is the settled source. `to` is the entry, or, for an entry without a source, `from` is the entry itself. The
/// function calls the handler of the client, and returns what the engine must do with the promise of the entry. It
/// settles nothing itself, and so acquires no lock.
@usableFromInline
package typealias BodyFunction = @Sendable (_ from: AnyPromise, _ to: AnyPromise) -> BodyResult

/// The task of the engine after a body has returned and has been released.
@safe @usableFromInline
package enum BodyResult: Sendable {
  /// The promise is fulfilled with a value of its type.
  case value(Payload)
  /// The promise is rejected with an error that the handler has thrown.
  case error(any Error)
  /// The promise takes over the outcome of the source, whose rejection was handled or not. With `asCancelled` a
  /// rejection gets the cancelled mark.
  case passes(isHandled: Bool, asCancelled: Bool = false)
  /// The promise adopts another. The reference to that promise is counted by hand, so that the engine can test whether
  /// it is the only one.
  case adopts(Unmanaged<AnyPromise>)
  /// The promise stays as it is: an owner settles it, or there is nothing to settle.
  case nothing
  /// An observer that runs inside the settling call has something to be done.
  indirect case entails(Consequence)
  /// The task of another result comes first. Then a function of the library is called.
  indirect case first(BodyResult, then: @Sendable () -> Void)
  /// A Task must run this closure. Returned only by entries on an `AwaitingContext`.
  case awaits(@Sendable () async -> BodyResult)

  /// The result whose task comes first.
  var firstPart: BodyResult {
    if case .first(let result, _) = self { result } else { self }
  }
}

/// What is to be done after an observer of the library has run inside a settling call: the result of a combination is
/// settled, unless that was settled before. Then the inputs are left or given up.
@usableFromInline
package struct Consequence: Sendable {
  let combination: Combination
  let outcome: Outcome
  let givesUp: Bool
}

/// The handler of a client and the function that calls it, side by side.
///
/// A closure that captures the handler would need one more heap block for every link, for a context that contains only
/// the handler. So both are stored separately, with their types erased. `caller` is passed the handler when it is
/// called, and captures nothing where its types are concrete.
///
/// `@safe`, because the two are only stored together, so that a `caller` is only passed a handler of the type for which
/// it was written. Every handler is one closure, and so has the size of two words.
@safe @usableFromInline
package struct HandlerBody: Sendable {
  private let caller: ErasedCaller
  private let handler: ErasedHandler

  @usableFromInline
  init(_ handler: ErasedHandler, calledBy caller: ErasedCaller) {
    self.handler = handler
    self.caller = caller
  }

  /// Creates a body from a handler and a function that calls it. Both are structures of one closure each, see below.
  @_alwaysEmitIntoClient
  init<Handler, Caller>(erasing handler: consuming Handler, calledBy caller: consuming Caller) {
    self.init(Self.erase(consume handler), calledBy: Self.erase(consume caller))
  }

  /// Returns a structure of one closure as another such structure.
  ///
  /// The reference to the context of the closure is moved through memory. A bit cast would count one more.
  @_alwaysEmitIntoClient
  static func erase<Closure, Erased>(_ closure: consuming Closure) -> Erased {
    var closure = Optional(consume closure)
    var words: (UInt, UInt) = (0, 0)
    // Safe, because both structures have the size of `words`.
    return unsafe _withUnprotectedUnsafeMutablePointer(to: &words) {
      let memory = UnsafeMutableRawPointer($0)
      unsafe memory.initializeMemory(as: Closure.self, to: closure.take().unsafelyUnwrapped)
      return unsafe memory.assumingMemoryBound(to: Erased.self).move()
    }
  }

  /// Creates a body from a function that captures what it needs.
  @usableFromInline
  package init(_ function: @escaping BodyFunction) {
    self.init(
      erasing: FunctionHandler(closure: function),
      calledBy: FunctionHandler.Caller { function, from, to in function.closure(from, to) })
  }

  @inline(__always)
  func callAsFunction(_ from: AnyPromise, _ to: AnyPromise) -> BodyResult { caller.closure(handler, from, to) }
}

/// A body function that is stored in the place of a handler.
private struct FunctionHandler {
  let closure: BodyFunction

  struct Caller {
    let closure: @Sendable (FunctionHandler, AnyPromise, AnyPromise) -> BodyResult
  }
}

extension HandlerBody {
  /// Returns a body that does the same, and retains objects until it is released.
  func retaining(_ objects: RetainedObjects) -> HandlerBody {
    let caller = RetainingHandler.Caller { handler, from, to in
      let parts = handler.closure()
      return withExtendedLifetime(parts) { parts.body(from, to) }
    }
    return HandlerBody(erasing: RetainingHandler { (objects, self) }, calledBy: caller)
  }

  /// The objects of a body that ``retaining(_:)`` has made.
  ///
  /// Only for such a body, as `LinkFields.isBodyMarked` says, because its handler gets back the type that it had there.
  var retained: RetainedObjects {
    let handler: RetainingHandler = Self.erase(handler)
    return handler.closure().objects
  }
}

/// A body that is stored in the place of a handler, together with the objects that it retains.
private struct RetainingHandler {
  let closure: @Sendable () -> (objects: RetainedObjects, body: HandlerBody)

  struct Caller {
    let closure: @Sendable (RetainingHandler, AnyPromise, AnyPromise) -> BodyResult
  }
}

/// A handler whose type is erased.
@usableFromInline
struct ErasedHandler: Sendable {
  private let closure: @Sendable () -> Void
}

/// A function that calls a handler and whose type is erased.
@usableFromInline
struct ErasedCaller: Sendable {
  fileprivate let closure: @Sendable (ErasedHandler, AnyPromise, AnyPromise) -> BodyResult
}

// MARK: - Closures of the client

// Each is a structure with one closure and nothing else, as `HandlerBody` stores it. Only closures that receive a value
// are stored so, because most links have one. The bodies of links for errors capture the handler.
//
// Each kind of closure has a type of its own, because the compiler wraps a closure that is converted to another closure
// type in a heap block. Each also has a type for the function that calls it. A common type would receive the handler by
// address, and count a reference to it.

/// Transforms a value.
@usableFromInline
struct ValueHandler<Input, Output>: Sendable {
  @usableFromInline let closure: @Sendable (Input) throws -> Output

  @_alwaysEmitIntoClient init(_ closure: consuming @escaping @Sendable (Input) throws -> Output) {
    self.closure = closure
  }

  @_alwaysEmitIntoClient func callAsFunction(_ input: Input) throws -> Output { try closure(input) }

  @_alwaysEmitIntoClient
  static func body(
    _ closure: consuming @escaping @Sendable (Input) throws -> Output,
    _ call: @escaping @Sendable (Self, _ from: AnyPromise, _ to: AnyPromise) -> BodyResult
  ) -> HandlerBody {
    HandlerBody(erasing: Self(consume closure), calledBy: Caller(closure: call))
  }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ValueHandler, AnyPromise, AnyPromise) -> BodyResult

    @_alwaysEmitIntoClient
    init(closure: @escaping @Sendable (ValueHandler, AnyPromise, AnyPromise) -> BodyResult) { self.closure = closure }
  }
}

/// Makes a promise from a value.
@usableFromInline
struct ValueAdopter<Input, Output: Sendable>: Sendable {
  @usableFromInline let closure: @Sendable (Input) throws -> Promise<Output>

  @_alwaysEmitIntoClient init(_ closure: consuming @escaping @Sendable (Input) throws -> Promise<Output>) {
    self.closure = closure
  }

  @_alwaysEmitIntoClient func callAsFunction(_ input: Input) throws -> Promise<Output> { try closure(input) }

  @_alwaysEmitIntoClient
  static func body(
    _ closure: consuming @escaping @Sendable (Input) throws -> Promise<Output>,
    _ call: @escaping @Sendable (Self, _ from: AnyPromise, _ to: AnyPromise) -> BodyResult
  ) -> HandlerBody {
    HandlerBody(erasing: Self(consume closure), calledBy: Caller(closure: call))
  }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ValueAdopter, AnyPromise, AnyPromise) -> BodyResult

    @_alwaysEmitIntoClient
    init(closure: @escaping @Sendable (ValueAdopter, AnyPromise, AnyPromise) -> BodyResult) { self.closure = closure }
  }
}

/// Observes a value, or an outcome.
@usableFromInline
struct ValueObserver<Input>: Sendable {
  @usableFromInline let closure: @Sendable (Input) -> Void

  @_alwaysEmitIntoClient init(_ closure: consuming @escaping @Sendable (Input) -> Void) { self.closure = closure }

  @_alwaysEmitIntoClient func callAsFunction(_ input: Input) { closure(input) }

  @_alwaysEmitIntoClient
  static func body(
    _ closure: consuming @escaping @Sendable (Input) -> Void,
    _ call: @escaping @Sendable (Self, _ from: AnyPromise, _ to: AnyPromise) -> BodyResult
  ) -> HandlerBody {
    HandlerBody(erasing: Self(consume closure), calledBy: Caller(closure: call))
  }

  @usableFromInline
  struct Caller: Sendable {
    @usableFromInline let closure: @Sendable (ValueObserver, AnyPromise, AnyPromise) -> BodyResult

    @_alwaysEmitIntoClient
    init(closure: @escaping @Sendable (ValueObserver, AnyPromise, AnyPromise) -> BodyResult) { self.closure = closure }
  }
}
