import TestSupport
import Testing

@Suite("Links and observers for some errors of a type") struct ErrorPredicateTests {
  private let context = ManualContext()

  enum Link: String, CaseIterable, Sendable {
    case catchOnly = "catch(only:where:)"
    case catchFailure = "catchFailure(only:where:)"
    case onRejected = "onRejected(only:where:)"
  }

  @discardableResult
  private func attach<E: Error>(
    _ link: Link, to promise: Promise<Int>, only type: E.Type, where predicate: @escaping @Sendable (E) -> Bool,
    _ body: @escaping @Sendable (E) -> Void
  ) -> Promise<Int> {
    switch link {
    case .catchOnly: promise.catch(only: type, where: predicate, on: context, body)
    case .catchFailure: promise.catchFailure(only: type, where: predicate, on: context, body)
    case .onRejected: promise.onRejected(only: type, where: predicate, on: context, body)
    }
  }

  @Test("The closure sees the errors of its type that the predicate accepts", arguments: Link.allCases)
  func accepted(_ link: Link) {
    let seen = Log<Int>()
    for error in [TestError(1), TestError(2), CancellationError()] as [any Error] {
      let promise = Promise<Int>.rejected(error)
      let result = attach(
        link, to: promise, only: TestError.self, where: { $0.number == 2 }, { seen.append($0.number) })
      context.runUntilIdle()
      #expect(result.status == promise.status)
    }
    #expect(seen.entries == [2])
  }

  private struct OtherError: Error {}
  private struct ThirdError: Error {}

  @Test("A predicate of any error stands for several types", arguments: Link.allCases)
  func severalTypes(_ link: Link) {
    let seen = Log<String>()
    for error in [TestError(1), OtherError(), ThirdError()] as [any Error] {
      attach(
        link, to: Promise<Int>.rejected(error), only: (any Error).self, where: { $0 is TestError || $0 is OtherError },
        { seen.append("\(type(of: $0))") })
      context.runUntilIdle()
    }
    #expect(seen.entries == ["TestError", "OtherError"])
  }

  @Test(
    "An error that the predicate refuses is reported, and one that it accepts is not", .rule("7.1"),
    arguments: Link.allCases)
  func duty(_ link: Link) {
    for isAccepted in [true, false] {
      let unhandled = Log<UnhandledRejection>()
      Diagnostics.scoped(unhandledRejection: unhandled.append) {
        attach(
          link, to: Promise<Int>.rejected(TestError(1)), only: TestError.self, where: { _ in isAccepted }, { _ in })
        context.runUntilIdle()
      }
      #expect(unhandled.entries.isEmpty == isAccepted)
    }
  }

  @Test("The predicate runs on the context of the closure, and for no value", .rule("2.1"), arguments: Link.allCases)
  func place(_ link: Link) {
    let asked = Log<Int>()
    for promise in [Promise.rejected(TestError(1)), .fulfilled(2)] {
      attach(link, to: promise, only: TestError.self, where: { asked.append($0.number, returning: true) }, { _ in })
    }
    #expect(asked.entries.isEmpty)
    context.runUntilIdle()
    #expect(asked.entries == [1])
  }

  @Test("catchFailure(only:where:) asks the predicate of no cancellation", .rule("1.2"))
  func cancelled() {
    let asked = Log<Int>()
    let deferred = Deferred<Int>()
    deferred.promise.shielded()
      .catchFailure(only: TestError.self, where: { asked.append($0.number, returning: true) }, on: context, { _ in })
    deferred.promise.cancel(reason: TestError(1))
    context.runUntilIdle()
    #expect(asked.entries.isEmpty)
  }
}

extension Log {
  fileprivate func append(_ entry: Entry, returning value: Bool) -> Bool {
    append(entry)
    return value
  }
}
