// Written by Scripts/generate-families.py from the declarations in PromiseCombinators. Do not edit it: `make families`.
public import PromiseContexts
public import PromiseCore

extension LazyPromise {
  /// Creates a lazy promise that the closure settles through a ``/PromiseCore/Deferred``, as `Promise(on:)` does.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``init(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public convenience init<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Deferred<Value>) throws -> Void
  ) {
    self.init(on: ActorContext(actor), fileID: fileID, line: line) { deferred in
      try actor.assumeIsolated { try body($0, deferred) }
    }
  }

  /// Returns a lazy promise for the value that the closure returns, as `Promise.run` does.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``run(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public static func run<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Value
  ) -> LazyPromise {
    run(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated { try body($0) } }
  }

  /// Returns a lazy promise that settles as the promise does that the closure returns.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``adopting(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public static func adopting<A: Actor>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Value>
  ) -> LazyPromise {
    adopting(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated { try body($0) } }
  }
}

extension Promise {
  /// Acquires a resource, calls the closure with it, and releases the resource when the closure's promise has finished.
  ///
  /// The closures run on the actor and receive it, so they may access the actor's state. Everything else is as for the
  /// `using` with `on:` that has this description.
  public static func using<A: Actor, Acquired: Sendable>(
    _ acquire: @escaping @Sendable (isolated A) throws -> Promise<Acquired>,
    release: @escaping @Sendable (isolated A, Acquired) throws -> AnyPromise, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Acquired) throws -> Promise
  ) -> Promise {
    using(
      { try actor.assumeIsolated { try acquire($0) } },
      release: { acquired in try actor.assumeIsolated { try release($0, acquired) } }, on: ActorContext(actor),
      fileID: fileID, line: line, { acquired in try actor.assumeIsolated { try body($0, acquired) } })
  }

  /// Uses a resource as the `using` whose release gets only the resource does, and tells the release how the use ended.
  /// So the release can commit or roll back.
  ///
  /// The closures run on the actor and receive it, so they may access the actor's state. Everything else is as for the
  /// `using` with `on:` that has this description.
  public static func using<A: Actor, Acquired: Sendable>(
    _ acquire: @escaping @Sendable (isolated A) throws -> Promise<Acquired>,
    release: @escaping @Sendable (isolated A, Acquired, _ outcome: Result<Value, any Error>) throws -> AnyPromise,
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Acquired) throws -> Promise
  ) -> Promise {
    using(
      { try actor.assumeIsolated { try acquire($0) } },
      release: { acquired, outcome in try actor.assumeIsolated { try release($0, acquired, outcome) } },
      on: ActorContext(actor), fileID: fileID, line: line,
      { acquired in try actor.assumeIsolated { try body($0, acquired) } })
  }

  /// Acquires a resource, calls the closure with it, and releases it, as the `using` does that takes the closures of a
  /// resource.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``using(_:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``.
  public static func using<A: Actor, Acquired: Sendable>(
    _ resource: Resource<Acquired>, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Acquired) throws -> Promise
  ) -> Promise {
    using(resource, on: ActorContext(actor), fileID: fileID, line: line) { acquired in
      try actor.assumeIsolated { try body($0, acquired) }
    }
  }

  /// Acquires two resources in order, calls the closure with them, and releases them in reverse order.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``using(_:_:on:fileID:line:_:)-(_,_,ExecutionContext,_,_,_)``.
  public static func using<A: Actor, First: Sendable, Second: Sendable>(
    _ first: Resource<First>, _ second: Resource<Second>, isolatedTo actor: A, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (isolated A, First, Second) throws -> Promise
  ) -> Promise {
    using(first, second, on: ActorContext(actor), fileID: fileID, line: line) { first, second in
      try actor.assumeIsolated { try body($0, first, second) }
    }
  }

  /// Calls the closure, and calls it again if its promise is rejected, up to a number of attempts.
  ///
  /// The closures run on the actor and receive it, so they may access the actor's state. Everything else is as for the
  /// `retry` with `on:` that has this description.
  public static func retry<A: Actor>(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, isolatedTo actor: A, timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (isolated A, _ failedAttempt: Int, _ error: any Error) -> Bool = { _, _, _ in
      true
    }, fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (isolated A) throws -> Promise
  ) -> Promise {
    retry(
      attempts: attempts, backoff: backoff, within: limit, until: end, on: ActorContext(actor), timers: timers,
      while: { failedAttempt, error in actor.assumeIsolated { predicate($0, failedAttempt, error) } }, fileID: fileID,
      line: line, { try actor.assumeIsolated { try body($0) } })
  }

  /// Calls the closure with the number of the attempt, and calls it again if its promise is rejected, up to a number of
  /// attempts.
  ///
  /// The closures run on the actor and receive it, so they may access the actor's state. Everything else is as for the
  /// `retry` with `on:` that has this description.
  public static func retry<A: Actor>(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, isolatedTo actor: A, timers: any TimerContext = .standard,
    while predicate: @escaping @Sendable (isolated A, _ failedAttempt: Int, _ error: any Error) -> Bool = { _, _, _ in
      true
    }, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, _ attempt: Int) throws -> Promise
  ) -> Promise {
    retry(
      attempts: attempts, backoff: backoff, within: limit, until: end, on: ActorContext(actor), timers: timers,
      while: { failedAttempt, error in actor.assumeIsolated { predicate($0, failedAttempt, error) } }, fileID: fileID,
      line: line, { attempt in try actor.assumeIsolated { try body($0, attempt) } })
  }

  /// Calls the closure, and calls it again if its promise is rejected, up to a number of attempts. Each attempt gets
  /// the error of the one before it, and the value that was carried last.
  ///
  /// The closures run on the actor and receive it, so they may access the actor's state. Everything else is as for
  /// ``retry(attempts:backoff:within:until:on:timers:carrying:asking:fileID:line:_:)-(_,_,_,_,ExecutionContext,_,_,_,_,_,_)``.
  public static func retry<A: Actor, Carried: Sendable>(
    attempts: Int = 2, backoff: Backoff = .constant(.seconds(1)), within limit: Duration? = nil,
    until end: WorkEnd = .settled, isolatedTo actor: A, timers: any TimerContext = .standard, carrying initial: Carried,
    asking condition:
      @escaping @Sendable (isolated A, _ attempt: RetryAttempt<Carried>, _ error: any Error) throws -> Promise<Bool> = {
        _, _, _ in .fulfilled(true)
      }, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, _ attempt: RetryAttempt<Carried>) throws -> Promise
  ) -> Promise {
    retry(
      attempts: attempts, backoff: backoff, within: limit, until: end, on: ActorContext(actor), timers: timers,
      carrying: initial, asking: { attempt, error in try actor.assumeIsolated { try condition($0, attempt, error) } },
      fileID: fileID, line: line, { attempt in try actor.assumeIsolated { try body($0, attempt) } })
  }

  /// Calls the closure for each element of an asynchronous sequence, and returns a promise for the values of the
  /// promises that the closure returns, in the order of the elements. At most `concurrency` of these promises are
  /// pending at a time.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. The sequence is not read there.
  /// Everything else is as for the `traverse` with `on:` that has this description.
  @_disfavoredOverload
  public static func traverse<A: Actor, Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, until: end, on: ActorContext(actor), fileID: fileID, line: line) {
      element in try actor.assumeIsolated { try body($0, element) }
    }
  }

  /// Combines the value of this promise with each element of a sequence, one after another. The closure is called for
  /// the next element when the promise for the element before it is fulfilled.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. The sequence is read there,
  /// too. Its elements are `Sendable`, so that the closure may store them. Everything else is as for
  /// ``reduce(_:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``.
  public func reduce<A: Actor, Elements: Sequence & SendableMetatype>(
    _ elements: sending Elements, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (isolated A, Value, Elements.Element) throws -> Promise
  ) -> Promise where Elements.Element: Sendable {
    reduce(elements, on: ActorContext(actor), fileID: fileID, line: line) { value, element in
      try actor.assumeIsolated { try combine($0, value, element) }
    }
  }

  /// Combines the values of several promises, one after another, in the order of the promises. There is no initial
  /// value. The first call of the closure gets the values of the first two promises.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. Everything else is as for
  /// ``reduce(all:on:fileID:line:_:)-(_,ExecutionContext,_,_,_)``.
  public static func reduce<A: Actor>(
    all promises: [Promise], isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (isolated A, Value, Value) throws -> Promise
  ) -> Promise {
    reduce(all: promises, on: ActorContext(actor), fileID: fileID, line: line) { value1, value2 in
      try actor.assumeIsolated { try combine($0, value1, value2) }
    }
  }

  /// Transforms a value by functions, one after another. Each function gets the value of the promise that the function
  /// before it has returned.
  ///
  /// The closures run on the actor and receive it, so they may access the actor's state. Everything else is as for
  /// ``chain(_:_:on:fileID:line:)-(_,_,ExecutionContext,_,_)``.
  public static func chain<A: Actor>(
    _ initial: Value, _ links: [@Sendable (isolated A, Value) throws -> Promise], isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    chain(
      initial, links.map { closure in { value in try actor.assumeIsolated { try closure($0, value) } } },
      on: ActorContext(actor), fileID: fileID, line: line)
  }

  /// Calls the closure for each element of a sequence, and returns a promise for the values of the promises that the
  /// closure returns, in the order of the elements. At most `concurrency` of these promises are pending at a time.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. The sequence is read there,
  /// too. Its elements are `Sendable`, so that the closure may store them. Everything else is as for the `traverse`
  /// with `on:` that has this description.
  public static func traverse<A: Actor, Elements: Sequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    traverse(elements, concurrency: concurrency, until: end, on: ActorContext(actor), fileID: fileID, line: line) {
      element in try actor.assumeIsolated { try body($0, element) }
    }
  }
}

extension Resource {
  /// Creates a way to acquire and to release a resource.
  ///
  /// The closures run on the actor and receive it, so they may access the actor's state. Everything else is as for the
  /// `init` with `on:` that has this description.
  public init<A: Actor>(
    _ acquire: @escaping @Sendable (isolated A) throws -> Promise<Value>,
    release: @escaping @Sendable (isolated A, Value) throws -> AnyPromise, isolatedTo actor: A
  ) {
    self.init(
      { try actor.assumeIsolated { try acquire($0) } },
      release: { value in try actor.assumeIsolated { try release($0, value) } }, onContext: { ActorContext(actor) })
  }

  /// Creates a way to acquire a resource, and to release it with the outcome of the use.
  ///
  /// The closures run on the actor and receive it, so they may access the actor's state. Everything else is as for the
  /// `init` with `on:` that has this description.
  public init<A: Actor>(
    _ acquire: @escaping @Sendable (isolated A) throws -> Promise<Value>,
    release: @escaping @Sendable (isolated A, Value, _ outcome: Result<Void, any Error>) throws -> AnyPromise,
    isolatedTo actor: A
  ) {
    self.init(
      { try actor.assumeIsolated { try acquire($0) } },
      release: { value, outcome in try actor.assumeIsolated { try release($0, value, outcome) } },
      onContext: { ActorContext(actor) })
  }
}

extension Promise where Value == Void {
  /// Calls the closure for each element of an asynchronous sequence, one after another. The next element is read when
  /// the promise for the element before it is fulfilled.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. The sequence is not read there.
  /// Everything else is as for the `forEach` with `on:` that has this description.
  @_disfavoredOverload
  public static func forEach<A: Actor, Elements: AsyncSequence & SendableMetatype, Step>(
    _ elements: sending Elements, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    forEach(elements, on: ActorContext(actor), fileID: fileID, line: line) { element in
      try actor.assumeIsolated { try body($0, element) }
    }
  }

  /// Calls the closure for each element of a sequence, one after another. The closure is called for the next element
  /// when the promise for the element before it is fulfilled.
  ///
  /// The closure runs on the actor and receives it, so it may access the actor's state. The sequence is read there,
  /// too. Its elements are `Sendable`, so that the closure may store them. Everything else is as for the `forEach` with
  /// `on:` that has this description.
  public static func forEach<A: Actor, Elements: Sequence & SendableMetatype, Step>(
    _ elements: sending Elements, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    forEach(elements, on: ActorContext(actor), fileID: fileID, line: line) { element in
      try actor.assumeIsolated { try body($0, element) }
    }
  }
}
