public import PromiseContexts
public import PromiseCore

// Overloads that make calls with an `UnfoldSequence` fail to compile: see ``ReadsUnfoldSequence``. The compiler prefers
// these overloads because they are more specific, and then refuses the call. Synchronous code is never isolated to
// their actor, and they are unavailable in async code. Each has all parameters of the method that it hides, because the
// compiler would choose that method for a call with a parameter that is missing here.

extension Promise {
  @available(*, noasync, message: "pass `Array(…)`, or a sequence that is `Sendable`")
  @UnfoldSequenceIsNotSendable @_documentation(visibility: internal)
  public static func traverse<Elements: Sequence & ReadsUnfoldSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled,
    on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output] { isNotCalled() }

  @available(*, noasync, message: "pass `Array(…)`, or a sequence that is `Sendable`")
  @UnfoldSequenceIsNotSendable @_documentation(visibility: internal)
  public static func traverse<Elements: Sequence & ReadsUnfoldSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, on context: MainContext,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable { isNotCalled() }

  @available(*, noasync, message: "pass `Array(…)`, or a sequence that is `Sendable`")
  @UnfoldSequenceIsNotSendable @_documentation(visibility: internal)
  public func reduce<Elements: Sequence & ReadsUnfoldSequence & SendableMetatype>(
    _ elements: sending Elements, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (Value, Elements.Element) throws -> Promise
  ) -> Promise { isNotCalled() }

  @available(*, noasync, message: "pass `Array(…)`, or a sequence that is `Sendable`")
  @UnfoldSequenceIsNotSendable @_documentation(visibility: internal)
  public func reduce<Elements: Sequence & ReadsUnfoldSequence & SendableMetatype>(
    _ elements: sending Elements, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @MainActor (Value, Elements.Element) throws -> Promise
  ) -> Promise where Elements.Element: Sendable { isNotCalled() }

  @available(*, noasync, message: "pass `Array(…)`, or a sequence that is `Sendable`")
  @UnfoldSequenceIsNotSendable @_documentation(visibility: internal)
  public static func traverse<A: Actor, Elements: Sequence & ReadsUnfoldSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, isolatedTo actor: A,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable { isNotCalled() }

  @available(*, noasync, message: "pass `Array(…)`, or a sequence that is `Sendable`")
  @UnfoldSequenceIsNotSendable @_documentation(visibility: internal)
  public func reduce<A: Actor, Elements: Sequence & ReadsUnfoldSequence & SendableMetatype>(
    _ elements: sending Elements, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (isolated A, Value, Elements.Element) throws -> Promise
  ) -> Promise where Elements.Element: Sendable { isNotCalled() }

  @available(*, noasync, message: "pass `Array(…)`, or a sequence that is `Sendable`")
  @UnfoldSequenceIsNotSendable @_documentation(visibility: internal)
  public static func asyncTraverse<Elements: Sequence & ReadsUnfoldSequence & SendableMetatype, Output: Sendable>(
    _ elements: sending Elements, concurrency: Int, priority: TaskPriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) async throws -> Output
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable { isNotCalled() }
}

extension Promise where Value == Void {
  @available(*, noasync, message: "pass `Array(…)`, or a sequence that is `Sendable`")
  @UnfoldSequenceIsNotSendable @_documentation(visibility: internal)
  public static func forEach<Elements: Sequence & ReadsUnfoldSequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Step>
  ) -> Promise { isNotCalled() }

  @available(*, noasync, message: "pass `Array(…)`, or a sequence that is `Sendable`")
  @UnfoldSequenceIsNotSendable @_documentation(visibility: internal)
  public static func forEach<Elements: Sequence & ReadsUnfoldSequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable { isNotCalled() }

  @available(*, noasync, message: "pass `Array(…)`, or a sequence that is `Sendable`")
  @UnfoldSequenceIsNotSendable @_documentation(visibility: internal)
  public static func forEach<A: Actor, Elements: Sequence & ReadsUnfoldSequence & SendableMetatype, Step>(
    _ elements: sending Elements, isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A, Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable { isNotCalled() }
}

private func isNotCalled() -> Never { preconditionFailure("An UnfoldSequence is not Sendable") }
