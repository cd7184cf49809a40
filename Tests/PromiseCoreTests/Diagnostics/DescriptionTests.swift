import TestSupport
import Testing

@Suite("Diagnostics: debugDescription") struct DescriptionTests {
  private let context = ManualContext()

  @Test("debugDescription shows the type, the state with its outcome, and the creation site")
  func states() {
    let deferred = Deferred<Int>(fileID: "M/F", line: 1)
    #expect(
      deferred.promise.debugDescription == """
        Promise<Int>, pending, M/F:1
          waits for its owner, made at M/F:1, which is alive and has not settled it
        """)
    deferred.promise.cancel(reason: TestError(2))
    #expect(deferred.promise.debugDescription == "Promise<Int>, cancelled: TestError(number: 2), M/F:1")
    #expect("\(Promise.fulfilled("a\nb", fileID: "M/F", line: 3))" == "Promise<String>, fulfilled: a b, M/F:3")
    #expect(
      Promise<Void>.rejected(TestError(4), fileID: "M/F", line: 4).debugDescription
        == "Promise<()>, rejected: TestError(number: 4), M/F:4")
  }

  @Test("debugDescription shows a value by its own description, and shortens it if it is long", .rule("1.4"))
  func values() {
    let long = Promise.fulfilled(String(repeating: "x", count: 100), fileID: "M/F", line: 1)
    #expect(long.debugDescription == "Promise<String>, fulfilled: \(String(repeating: "x", count: 60))…, M/F:1")
    let error: any Error = TestError(1)
    #expect(
      Promise<any Error>.fulfilled(error, fileID: "M/F", line: 1).debugDescription
        == "Promise<Error>, fulfilled: TestError(number: 1), M/F:1")
    #expect(
      Promise<Int?>.fulfilled(nil, fileID: "M/F", line: 1).debugDescription
        == "Promise<Optional<Int>>, fulfilled: nil, M/F:1")
    let nested = Promise.fulfilled(Promise.fulfilled(1, fileID: "M/F", line: 2), fileID: "M/F", line: 1)
    #expect(nested.debugDescription.hasPrefix("Promise<Promise<Int>>, fulfilled: Promise<Int>, fulfilled: 1, M/F:2"))
  }

  @Test("A description stays short if a single character of an error's description consists of thousands of scalars")
  func longCharacters() {
    // The letter "e" with all these accents is one character.
    let text = "e" + String(repeating: "\u{301}", count: 10_000) + "x"
    let promise = Promise<Int>.rejected(text)
    #expect(promise.debugDescription.unicodeScalars.count < 400)
    #expect(promise.debugDescription.contains("…, "))
    let shown = Promise.fulfilled("e\u{301}a", fileID: "M/F", line: 1)
    #expect(shown.debugDescription == "Promise<String>, fulfilled: e\u{301}a, M/F:1")
  }

  @Test("debugDescription lists the consumers of a pending promise in the order of attachment", .rule("4.0"))
  func pendingTree() {
    let deferred = Deferred<Int>(fileID: "M/F", line: 1)
    let first = deferred.promise.map(on: context, fileID: "M/F", line: 2) { "\($0)" }
    _ = first.asVoid(fileID: "M/F", line: 3)
    let inner = Deferred<Int>(fileID: "M/F", line: 4)
    inner.follow(deferred.promise)
    deferred.promise.onSettled(on: context) { _ in }
    #expect(
      deferred.promise.debugDescription == """
        Promise<Int>, pending, 3 consumers, M/F:1
          waits for its owner, made at M/F:1, which is alive and has not settled it
          Promise<String>, pending, 1 consumer, map at M/F:2
            Promise<()>, pending, asVoid at M/F:3
          Promise<Int>, pending, M/F:4
          onSettled, on a ManualContext
        """)
    // Reading the description changes nothing.
    deferred.fulfill(5)
    context.runUntilIdle()
    #expect(first.debugDescription == "Promise<String>, fulfilled: 5, map at M/F:2")
    #expect(inner.promise.debugDescription == "Promise<Int>, fulfilled: 5, M/F:4")
  }

  @Test("debugDescription lists the pending promises below a settled promise, and their consumers", .rule("4.2"))
  func settledTree() {
    let inner = Deferred<Int>(fileID: "M/F", line: 1)
    let settled = Promise.fulfilled(1, fileID: "M/F", line: 2)
    let adopting = settled.then(on: context, fileID: "M/F", line: 3) { _ in inner.promise }
    let queued = settled.map(on: context, fileID: "M/F", line: 4) { $0 }
    _ = queued.map(on: context, fileID: "M/F", line: 5) { $0 }
    context.step()
    #expect(
      settled.debugDescription == """
        Promise<Int>, fulfilled: 1, M/F:2
          Promise<Int>, pending, then at M/F:3
          Promise<Int>, pending, 1 consumer, map at M/F:4
            Promise<Int>, pending, map at M/F:5
        """)
    #expect(
      inner.promise.debugDescription == """
        Promise<Int>, pending, 1 consumer, M/F:1
          waits for its owner, made at M/F:1, which is alive and has not settled it
          Promise<Int>, pending, then at M/F:3
        """)
    withExtendedLifetime(adopting) {}
    // Runs the queued job, because the job and its context retain each other.
    context.runUntilIdle()
  }

  @Test("debugDescription is bounded, however large the tree is", .rule("6.4"), .slow)
  func bounded() {
    let deferred = Deferred<Int>(fileID: "M/F", line: 0)
    var promise = deferred.promise
    for line in 1..<100_000 { promise = promise.map(on: context, fileID: "M/F", line: UInt(line)) { $0 } }
    let deep = deferred.promise.debugDescription.split(separator: "\n")
    #expect(deep.count == 11)
    #expect(deep.last == "                  …")

    let broad = Deferred<Int>(fileID: "M/F", line: 0)
    for line in 1...20 { _ = broad.promise.map(on: context, fileID: "M/F", line: UInt(line)) { $0 } }
    let lines = broad.promise.debugDescription.split(separator: "\n")
    #expect(lines.count == 19 && lines[17].hasSuffix("M/F:16") && lines.last == "  … 4 more")

    let above = promise.debugDescription.split(separator: "\n").map { $0.drop(while: { $0 == " " }) }
    #expect(above.count == 12)
    #expect(above[1].hasPrefix("cause: the owner of Promise<Int> made at M/F:0"))
    #expect(above[2] == "waits for Promise<Int>, map at M/F:65535")
    #expect(above[6] == "… 99991 more links")
    #expect(above[10] == "waits for Promise<Int>, M/F:0")
    #expect(above[11].hasPrefix("waits for its owner"))

    let bush = Deferred<Int>()
    var level = [bush.promise]
    for _ in 0..<3 { level = level.flatMap { promise in (0..<8).map { _ in promise.asVoid().map(on: context) { 1 } } } }
    let all = bush.promise.debugDescription.split(separator: "\n")
    #expect(all.count == 101)
    #expect(all.last == "…")
  }

  @Test("Reading debugDescription does not handle the error of the promise", .rule("7.1"))
  func unexamined() {
    expectUnhandled([Unhandled(1, line: 1)]) { _ = Promise<Int>.rejected(TestError(1), line: 1).debugDescription }
  }

  @Test("A value may read its own promise and settle another promise while it is described", .rule("1.3", "6.5"))
  func reentrant() {
    let deferred = Deferred<Curious>(fileID: "M/F", line: 1)
    let other = Deferred<Int>()
    _ = deferred.promise.asVoid()
    deferred.fulfill(
      Curious { [weak promise = deferred.promise] in
        other.fulfill(1)
        return promise.map { "\($0.isFulfilled)" } ?? "gone"
      })
    #expect(deferred.promise.debugDescription == "Promise<Curious>, fulfilled: true, M/F:1")
    #expect(other.promise.isFulfilled)
  }

  private struct Curious: Sendable, CustomStringConvertible {
    let describe: @Sendable () -> String
    var description: String { describe() }
  }
}
