public import PromiseContexts
public import PromiseCore

// None of these starts anything.

extension LazyPromise {
  /// A lazy promise made from this one by anything that one can do with a promise.
  ///
  /// ```swift
  /// let settings = stored.derive { $0.timeout(.seconds(5)).recover { _ in Settings() } }
  /// ```
  ///
  /// The closure is called once, when the result starts, by whoever starts it.
  public func derive<U>(
    fileID: StaticString = #fileID, line: UInt = #line, _ chain: @escaping @Sendable (Promise<Value>) -> Promise<U>
  ) -> LazyPromise<U> {
    let resultSite = CreationSite(fileID: fileID, line: line)
    // It may be a promise that others want, even this one (rule 4.4).
    return deriveUnshared(at: resultSite) { chain($0).owned(at: resultSite) }
  }

  /// - Parameter make: makes a promise that nobody else knows.
  private func deriveUnshared<U>(
    at resultSite: CreationSite, _ make: @escaping @Sendable (Promise<Value>) -> Promise<U>
  ) -> LazyPromise<U> {
    LazyPromise<U>(at: resultSite, after: lazyStart) { [slot, site] in make(slot.promise(at: site)) }
  }

  /// As ``/PromiseCore/Promise/map(on:to:weight:fileID:line:_:)``.
  public func map<U>(
    on context: any ExecutionContext = .pool, to type: U.Type = U.self,
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (Value) throws -> U
  ) -> LazyPromise<U> {
    deriveUnshared(at: CreationSite(fileID: fileID, line: line)) {
      $0.map(on: context, fileID: fileID, line: line, transform)
    }
  }

  /// As ``/PromiseCore/Promise/then(on:to:weight:fileID:line:_:)``.
  public func then<U>(
    on context: any ExecutionContext = .pool, to type: U.Type = U.self,
    fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (Value) throws -> Promise<U>
  ) -> LazyPromise<U> {
    deriveUnshared(at: CreationSite(fileID: fileID, line: line)) {
      $0.then(on: context, fileID: fileID, line: line, transform)
    }
  }

  /// As ``/PromiseCore/Promise/recover(on:fileID:line:_:)``.
  public func recover(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Value
  ) -> LazyPromise {
    deriveUnshared(at: CreationSite(fileID: fileID, line: line)) {
      $0.recover(on: context, fileID: fileID, line: line, transform)
    }
  }

  /// As ``/PromiseCore/Promise/rescue(on:fileID:line:_:)``.
  public func rescue(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (any Error) throws -> Promise<Value>
  ) -> LazyPromise {
    deriveUnshared(at: CreationSite(fileID: fileID, line: line)) {
      $0.rescue(on: context, fileID: fileID, line: line, transform)
    }
  }
}
