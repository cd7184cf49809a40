import PromiseCombinators
import TestSupport
import Testing

@Suite("reduce of several promises", .leavingNothing) struct ReduceAllTests {
  let world = TestWorld()
  let owners = (0..<3).map { _ in Deferred<String>() }

  private func reduce(_ called: Log<String>) -> Promise<String> {
    Promise.reduce(all: owners.map(\.promise), on: world.main) { text, next in
      called.append(text, returning: .fulfilled(text + next))
    }
  }

  @Test("The values are combined in the order of the promises, whatever the order of their settlement is")
  func order() {
    let called = Log<String>()
    let result = reduce(called)
    owners[2].fulfill("c")
    owners[0].fulfill("a")
    world.runUntilIdle()
    #expect(called.entries.isEmpty)
    world.runUntilIdle(after: owners[1].fulfill("b"))
    #expect(result.state.value == "abc")
    #expect(called.entries == ["a", "ab"])
  }

  @Test("Each step waits for the promise of the step before it")
  func steps() {
    let steps = (0..<2).map { _ in Deferred<Int>() }
    let begun = Log<Int>()
    let result = Promise.reduce(all: [1, 2, 3].map { .fulfilled($0) }, on: world.main) { sum, next in
      begun.append(next, returning: steps[next - 2].promise)
    }
    world.runUntilIdle()
    #expect(begun.entries == [2])
    world.runUntilIdle(after: steps[0].fulfill(3))
    #expect(begun.entries == [2, 3])
    world.runUntilIdle(after: steps[1].fulfill(6))
    #expect(result.state.value == 6)
  }

  @Test("One promise gives its value, and no promise rejects with an error that names the call")
  func few() {
    let called = Log<Int>()
    let one = Promise.reduce(all: [.fulfilled(7)], on: world.main) { first, _ in
      called.append(first, returning: .fulfilled(0))
    }
    let none = Promise<Int>.reduce(all: [], on: world.main, fileID: "M/Shop", line: 7) { _, _ in .fulfilled(0) }
    world.runUntilIdle()
    #expect(one.state.value == 7)
    #expect(called.entries.isEmpty)
    #expect((none.error as? PromiseError)?.description == "the combinator at M/Shop:7 was given no promise")
  }

  @Test("The error of any promise rejects at once, and stops the others", .rule("4.4"), arguments: 0..<3)
  func failure(_ failing: Int) {
    let called = Log<String>()
    let result = reduce(called)
    world.runUntilIdle(after: owners[failing].reject(TestError(1)))
    #expect(result.failure == .test(1))
    for (number, owner) in owners.enumerated() where number != failing { #expect(owner.promise.isCancelled) }
    #expect(called.entries.isEmpty)
  }

  @Test("The errors of promises that are not reached are not reported", .rule("7.1"))
  func unreported() throws {
    try TestWorld.run { world in
      let owners = (0..<3).map { _ in Deferred<Int>() }
      let result = Promise.reduce(all: owners.map(\.promise), on: world.main) { .fulfilled($0 + $1) }
      owners[2].reject(TestError(1))
      owners[0].reject(TestError(2))
      world.runUntilIdle()
      #expect(result.failure == .test(1))
      let rejected = Promise.reduce(
        all: [Promise<Int>.rejected(TestError(3)), .rejected(TestError(4))], on: world.main
      ) { .fulfilled($0 + $1) }
      world.runUntilIdle()
      #expect(rejected.failure == .test(3))
    }
  }

  @Test("An error of a step ends the steps")
  func failingStep() {
    let called = Log<Int>()
    let result = Promise.reduce(all: [1, 2, 3].map { .fulfilled($0) }, on: world.main) { _, next in
      called.append(next)
      throw TestError(1)
    }
    world.runUntilIdle()
    #expect(result.failure == .test(1))
    #expect(called.entries == [2])
  }

  @Test(
    "cancel leaves the promises alone, and cancel(upstream: true) gives them up", .rule("4.8"),
    arguments: [false, true])
  func cancelled(_ givesUp: Bool) {
    let called = Log<String>()
    let result = reduce(called)
    result.cancel(upstream: givesUp)
    #expect(result.isCancelled)
    #expect(owners.allSatisfy { $0.promise.isPending != givesUp })
    for owner in owners { owner.fulfill("a") }
    world.runUntilIdle()
    #expect(called.entries.isEmpty)
  }

  @Test("The progress is the mean of the progress of the promises", .rule("5.4"))
  func progress() {
    let result = reduce(Log())
    owners[0].report(progress: 0.9)
    #expect(abs(result.progress - 0.3) < 0.001)
    result.cancel()
  }

  @Test("The example of reduce appends the chapters of a book in their order")
  func example() {
    struct Binder: Sendable {
      func append(_ chapter: String, to book: String) -> Promise<String> { .fulfilled(book + chapter) }
    }
    let binder = Binder()
    let text = world.start {
      let chapters = ["a", "b", "c"].map { Promise.fulfilled($0) }
      let book = Promise.reduce(all: chapters) { book, chapter in binder.append(chapter, to: book) }
      return book
    }
    #expect(text.state.value == "abc")
  }
}
