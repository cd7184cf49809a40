public import PromiseContexts
public import PromiseCore

// None of these methods starts the lazy promise.

extension LazyPromise {
  /// Returns a lazy promise that is derived from this one by the operators of an ordinary promise.
  ///
  /// ```swift
  /// let settings = stored.derive { $0.timeout(.seconds(5)).recover { _ in Settings() } }
  /// ```
  ///
  /// The closure is called when the result starts, on the thread that starts it, and once more for each further start.
  /// The promise that it gets is that of one client, so the chain may cancel it. The closure does not see the task-local
  /// values of that thread, which belong to another client (rule 8.3).
  public func derive<U>(
    fileID: StaticString = #fileID, line: UInt = #line, _ chain: @escaping @Sendable (Promise<Value>) -> Promise<U>
  ) -> LazyPromise<U> {
    let resultSite = CreationSite(fileID: fileID, line: line)
    // The closure may return a promise that has other consumers, even the one that it gets. The result must not cancel
    // that (rule 4.4).
    let tracing = CapturedContext()
    let chain = tracing.isEmpty ? chain : { @Sendable promise in tracing.run { chain(promise) } }
    return LazyPromise<U>(at: resultSite, after: lazyStart) { [unowned lazyStart, site] in
      let promise: Promise<Value> = lazyStart.promiseForClient(at: site)
      let derived = TaskLocalValues.withNone { chain(promise) }
      return Promise<U>.startOwned(on: InlineContext.shared, by: .lazyPromise, at: resultSite) { derived }
    }
  }

  /// Returns a lazy promise that is derived from this one.
  ///
  /// - Parameter make: returns a promise to which there is no other reference.
  private func deriveUnshared<U>(
    at resultSite: CreationSite, _ make: @escaping @Sendable (Promise<Value>) -> Promise<U>
  ) -> LazyPromise<U> {
    // Safe, because a lazy promise retains those that it is derived from as long as it may start. If it retained them in
    // this closure, a chain would be released by recursion.
    LazyPromise<U>(at: resultSite, after: lazyStart) { [unowned lazyStart, site] in
      lazyStart.withWork(at: site, make)
    }
  }

  /// Returns a lazy promise for the transformed value. See ``/PromiseCore/Promise/map(on:to:weight:fileID:line:_:)``.
  public func map<U>(
    on context: any ExecutionContext = .pool, to type: U.Type = U.self,
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (Value) throws -> U
  ) -> LazyPromise<U> {
    deriveUnshared(at: CreationSite(fileID: fileID, line: line)) {
      $0.map(on: context, fileID: fileID, line: line, transform)
    }
  }

  /// Returns a lazy promise that adopts the promise that the closure returns for the value. See
  /// ``/PromiseCore/Promise/then(on:to:weight:fileID:line:_:)``.
  public func then<U>(
    on context: any ExecutionContext = .pool, to type: U.Type = U.self,
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> LazyPromise<U> {
    deriveUnshared(at: CreationSite(fileID: fileID, line: line)) {
      $0.then(on: context, fileID: fileID, line: line, transform)
    }
  }

  /// Returns a lazy promise in which the closure replaces an error with a value. See
  /// ``/PromiseCore/Promise/recover(on:fileID:line:_:)``.
  public func recover(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Value
  ) -> LazyPromise {
    deriveUnshared(at: CreationSite(fileID: fileID, line: line)) {
      $0.recover(on: context, fileID: fileID, line: line, transform)
    }
  }

  /// Returns a lazy promise that adopts the promise that the closure returns for an error. See
  /// ``/PromiseCore/Promise/rescue(on:fileID:line:_:)``.
  public func rescue(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Promise<Value>
  ) -> LazyPromise {
    deriveUnshared(at: CreationSite(fileID: fileID, line: line)) {
      $0.rescue(on: context, fileID: fileID, line: line, transform)
    }
  }
}
