// Written by Scripts/generate-families.py from the declarations in PromiseCombinators. Do not edit it: `make families`.
public import PromiseContexts
public import PromiseCore

extension LazyPromise {
  /// Creates a lazy promise that the closure settles through a ``/PromiseCore/Deferred``, as `Promise(on:)` does.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``init(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public convenience init(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Deferred<Value>) throws -> Void
  ) {
    self.init(on: MainContext.context, fileID: fileID, line: line) { deferred in
      try MainContext.assumeIsolated { try body(deferred) }
    }
  }

  /// Returns a lazy promise for the value that the closure returns, as `Promise.run` does.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``run(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public static func run(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Value
  ) -> LazyPromise {
    run(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated { try body() } }
  }

  /// Returns a lazy promise that settles as the promise does that the closure returns.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``adopting(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public static func adopting(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> Promise<Value>
  ) -> LazyPromise {
    adopting(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated { try body() } }
  }
}

extension Promise {
  /// Acquires a resource, calls the closure with it, and releases the resource when the closure's promise has finished.
  ///
  /// The closures run on the main actor, so they may access the actor's state. Everything else is as for the `using`
  /// with `on:` that has this description.
  public static func using<Acquired: Sendable>(
    _ acquire: @escaping @MainActor () throws -> Promise<Acquired>,
    release: @escaping @MainActor (Acquired) throws -> AnyPromise, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (Acquired) throws -> Promise
  ) -> Promise {
    using(
      { try MainContext.assumeIsolated { try acquire() } },
      release: { acquired in try MainContext.assumeIsolated { try release(acquired) } }, on: MainContext.context,
      fileID: fileID, line: line, { acquired in try MainContext.assumeIsolated { try body(acquired) } })
  }

  /// Uses a resource as the `using` whose release gets only the resource does, and tells the release how the use ended.
  /// So the release can commit or roll back.
  ///
  /// The closures run on the main actor, so they may access the actor's state. Everything else is as for the `using`
  /// with `on:` that has this description.
  public static func using<Acquired: Sendable>(
    _ acquire: @escaping @MainActor () throws -> Promise<Acquired>,
    release: @escaping @MainActor (Acquired, _ outcome: Result<Value, any Error>) throws -> AnyPromise,
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Acquired) throws -> Promise
  ) -> Promise {
    using(
      { try MainContext.assumeIsolated { try acquire() } },
      release: { acquired, outcome in try MainContext.assumeIsolated { try release(acquired, outcome) } },
      on: MainContext.context, fileID: fileID, line: line,
      { acquired in try MainContext.assumeIsolated { try body(acquired) } })
  }

  /// Acquires a resource, calls the closure with it, and releases it, as the `using` does that takes the closures of a
  /// resource.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``using(_:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``.
  public static func using<Acquired: Sendable>(
    _ resource: Resource<Acquired>, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Acquired) throws -> Promise
  ) -> Promise {
    using(resource, on: MainContext.context, fileID: fileID, line: line) { acquired in
      try MainContext.assumeIsolated { try body(acquired) }
    }
  }

  /// Acquires two resources in order, calls the closure with them, and releases them in reverse order.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``using(_:_:on:fileID:line:_:)-(_,_,ExecutionContext,_,_,_)``.
  public static func using<First: Sendable, Second: Sendable>(
    _ first: Resource<First>, _ second: Resource<Second>, on context: MainContext, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @MainActor (First, Second) throws -> Promise
  ) -> Promise {
    using(first, second, on: MainContext.context, fileID: fileID, line: line) { first, second in
      try MainContext.assumeIsolated { try body(first, second) }
    }
  }

  /// Calls the closure, and calls it again if its promise is rejected, up to a number of attempts.
  ///
  /// The closures run on the main actor, so they may access the actor's state. Everything else is as for the `retry`
  /// with `on:` that has this description.
  public static func retry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, on context: MainContext, timers: any TimerContext = .standard,
    while predicate: @escaping @MainActor (_ failedAttempt: Int, _ error: any Error) -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor () throws -> Promise
  ) -> Promise {
    retry(
      attempts: attempts, backoff: backoff, within: limit, until: end, on: MainContext.context, timers: timers,
      while: { failedAttempt, error in MainContext.assumeIsolated { predicate(failedAttempt, error) } }, fileID: fileID,
      line: line, { try MainContext.assumeIsolated { try body() } })
  }

  /// Calls the closure with the number of the attempt, and calls it again if its promise is rejected, up to a number of
  /// attempts.
  ///
  /// The closures run on the main actor, so they may access the actor's state. Everything else is as for the `retry`
  /// with `on:` that has this description.
  public static func retry(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, on context: MainContext, timers: any TimerContext = .standard,
    while predicate: @escaping @MainActor (_ failedAttempt: Int, _ error: any Error) -> Bool = { _, _ in true },
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (_ attempt: Int) throws -> Promise
  ) -> Promise {
    retry(
      attempts: attempts, backoff: backoff, within: limit, until: end, on: MainContext.context, timers: timers,
      while: { failedAttempt, error in MainContext.assumeIsolated { predicate(failedAttempt, error) } }, fileID: fileID,
      line: line, { attempt in try MainContext.assumeIsolated { try body(attempt) } })
  }

  /// Calls the closure, and calls it again if its promise is rejected, up to a number of attempts. Each attempt gets
  /// the error of the one before it, and the value that was carried last.
  ///
  /// The closures run on the main actor, so they may access the actor's state. Everything else is as for
  /// ``retry(attempts:backoff:within:until:on:timers:carrying:asking:fileID:line:_:)-(_,_,_,_,ExecutionContext,_,_,_,_,_,_)``.
  public static func retry<Carried: Sendable>(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, on context: MainContext, timers: any TimerContext = .standard,
    carrying initial: Carried,
    asking condition:
      @escaping @MainActor (_ attempt: RetryAttempt<Carried>, _ error: any Error) throws -> Promise<Bool> = { _, _ in
        .fulfilled(true)
      }, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (_ attempt: RetryAttempt<Carried>) throws -> Promise
  ) -> Promise {
    retry(
      attempts: attempts, backoff: backoff, within: limit, until: end, on: MainContext.context, timers: timers,
      carrying: initial, asking: { attempt, error in try MainContext.assumeIsolated { try condition(attempt, error) } },
      fileID: fileID, line: line, { attempt in try MainContext.assumeIsolated { try body(attempt) } })
  }

  /// Calls the closure for each element of an asynchronous sequence, and returns a promise for the values of the
  /// promises that the closure returns, in the order of the elements. At most `concurrency` of these promises are
  /// pending at a time.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. The sequence is not read there. Everything
  /// else is as for the `traverse` with `on:` that has this description.
  @_disfavoredOverload
  public static func traverse<Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, until: end, on: MainContext.context, fileID: fileID, line: line) {
      element in try MainContext.assumeIsolated { try body(element) }
    }
  }

  /// Combines the value of this promise with each element of a sequence, one after another. The closure is called for
  /// the next element when the promise for the element before it is fulfilled.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. The sequence is read there, too. Its
  /// elements are `Sendable`, so that the closure may store them. Everything else is as for
  /// ``reduce(_:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``.
  public func reduce<Elements: Sequence & SendableMetatype>(
    _ elements: sending Elements, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @MainActor (Value, Elements.Element) throws -> Promise
  ) -> Promise where Elements.Element: Sendable {
    reduce(elements, on: MainContext.context, fileID: fileID, line: line) { value, element in
      try MainContext.assumeIsolated { try combine(value, element) }
    }
  }

  /// Combines the values of several promises, one after another, in the order of the promises. There is no initial
  /// value. The first call of the closure gets the values of the first two promises.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``reduce(all:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``.
  public static func reduce(
    all promises: [Promise], on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @MainActor (Value, Value) throws -> Promise
  ) -> Promise {
    reduce(all: promises, on: MainContext.context, fileID: fileID, line: line) { value1, value2 in
      try MainContext.assumeIsolated { try combine(value1, value2) }
    }
  }

  /// Transforms a value by functions, one after another. Each function gets the value of the promise that the function
  /// before it has returned.
  ///
  /// The closures run on the main actor, so they may access the actor's state. Everything else is as for
  /// ``chain(_:_:on:fileID:line:)-(_,_,ExecutionContext,_,_)``.
  public static func chain(
    _ initial: Value, _ links: [@MainActor (Value) throws -> Promise], on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    chain(
      initial, links.map { closure in { value in try MainContext.assumeIsolated { try closure(value) } } },
      on: MainContext.context, fileID: fileID, line: line)
  }

  /// Calls the closure for each element of a sequence, and returns a promise for the values of the promises that the
  /// closure returns, in the order of the elements. At most `concurrency` of these promises are pending at a time.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. The sequence is read there, too. Its
  /// elements are `Sendable`, so that the closure may store them. Everything else is as for the `traverse` with `on:`
  /// that has this description.
  public static func traverse<Elements: Sequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, until: end, on: MainContext.context, fileID: fileID, line: line) {
      element in try MainContext.assumeIsolated { try body(element) }
    }
  }
}

extension Resource {
  /// Creates a way to acquire and to release a resource.
  ///
  /// The closures run on the main actor, so they may access the actor's state. Everything else is as for the `init`
  /// with `on:` that has this description.
  public init(
    _ acquire: @escaping @MainActor () throws -> Promise<Value>,
    release: @escaping @MainActor (Value) throws -> AnyPromise, on context: MainContext
  ) {
    self.init(
      { try MainContext.assumeIsolated { try acquire() } },
      release: { value in try MainContext.assumeIsolated { try release(value) } }, onContext: { MainContext.context })
  }

  /// Creates a way to acquire a resource, and to release it with the outcome of the use.
  ///
  /// The closures run on the main actor, so they may access the actor's state. Everything else is as for the `init`
  /// with `on:` that has this description.
  public init(
    _ acquire: @escaping @MainActor () throws -> Promise<Value>,
    release: @escaping @MainActor (Value, _ outcome: Result<Void, any Error>) throws -> AnyPromise,
    on context: MainContext
  ) {
    self.init(
      { try MainContext.assumeIsolated { try acquire() } },
      release: { value, outcome in try MainContext.assumeIsolated { try release(value, outcome) } },
      onContext: { MainContext.context })
  }
}

extension Promise where Value == Void {
  /// Calls the closure for each element of an asynchronous sequence, one after another. The next element is read when
  /// the promise for the element before it is fulfilled.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. The sequence is not read there. Everything
  /// else is as for the `forEach` with `on:` that has this description.
  @_disfavoredOverload
  public static func forEach<Elements: AsyncSequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    forEach(elements, on: MainContext.context, fileID: fileID, line: line) { element in
      try MainContext.assumeIsolated { try body(element) }
    }
  }

  /// Calls the closure, waits until the promise that it returned is fulfilled, and calls it again, until it returns
  /// `nil`.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. Everything else is as for
  /// ``repeat(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public static func `repeat`(
    on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () throws -> AnyPromise?
  ) -> Promise {
    `repeat`(on: MainContext.context, fileID: fileID, line: line) { try MainContext.assumeIsolated { try body() } }
  }

  /// Calls the closure for each element of a sequence, one after another. The closure is called for the next element
  /// when the promise for the element before it is fulfilled.
  ///
  /// The closure runs on the main actor, so it may access the actor's state. The sequence is read there, too. Its
  /// elements are `Sendable`, so that the closure may store them. Everything else is as for the `forEach` with `on:`
  /// that has this description.
  public static func forEach<Elements: Sequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    forEach(elements, on: MainContext.context, fileID: fileID, line: line) { element in
      try MainContext.assumeIsolated { try body(element) }
    }
  }
}
