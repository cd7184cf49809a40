import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

/// Tests the causes of programs that hang.
@Suite("Causes of waits") struct CauseTests {
  private let context = ManualContext()

  private func texts(_ promise: AnyPromise) -> [String] { promise.causes.map(\.description) }

  @Test("A thousand requests behind one refresh have one cause, which is the owner of the refresh")
  func refresh() {
    let refresh = Deferred<Int>(label: "refresh", fileID: "M/F", line: 1)
    let requests = (0..<1_000).map { _ in refresh.promise.map(on: context, fileID: "M/F", line: 2) { $0 } }
    let all = Promise.all(requests, fileID: "M/F", line: 3)
    #expect(
      all.causes.description == """
        cause: the owner of Promise<Int> "refresh" made at M/F:1, which is alive and has not settled it; 1002 promises \
        wait for it
        """)
    #expect(all.causes.first?.kind == .owner)
    #expect(all.causes.first?.label == "refresh")
    #expect(requests[7].causes.first?.id == all.causes.first?.id, "the identity is stable")
    #expect(all.causes.promiseCount == 1_002)
    #expect(all.causes.omittedCount == 0)
    #expect(all.causes.isComplete)
    #expect(refresh.promise.causes.map(\.promiseCount) == [1])
    context.runUntilIdle(after: refresh.fulfill(1))
    #expect(all.isFulfilled)
    #expect(all.causes.isEmpty)
    #expect(all.causes.description.isEmpty)
  }

  @Test("The 400th input of all is the cause when it alone is pending")
  func lastInput() {
    let owners = (1...400).map { Deferred<Int>(fileID: "M/F", line: UInt($0)) }
    let all = Promise.all(owners.map(\.promise), fileID: "M/F", line: 999)
    #expect(all.causes.count == 32)
    #expect(all.causes.omittedCount == 368)
    #expect(all.causes.description.hasSuffix("\n… 368 more causes"))
    #expect(all.causes.first?.createdAt?.line == 1, "among equals, the first input is the first")
    for owner in owners.dropLast() { owner.fulfill(1) }
    #expect(
      texts(all) == [
        "the owner of Promise<Int> made at M/F:400, which is alive and has not settled it; 2 promises wait for it"
      ])
    owners[399].fulfill(1)
  }

  @Test("The cause with the most promises behind it is the first, and promises behind two causes count for both")
  func order() {
    let one = Deferred<Int>(fileID: "M/F", line: 1)
    let other = Deferred<Int>(fileID: "M/F", line: 2)
    let many = (0..<3).map { _ in other.promise.map(on: context) { $0 } }
    let both = Promise.all([one.promise] + many).map(on: context) { $0 }
    let last = both.map(on: context) { $0 }
    #expect(last.causes.map(\.createdAt?.line) == [2, 1])
    #expect(last.causes.map(\.promiseCount) == [7, 4])
    one.fulfill(1)
    context.runUntilIdle(after: other.fulfill(1))
    #expect(last.isFulfilled)
  }

  @Test("Many requests of one line do not hide another cause with fewer promises behind it")
  func manyOfOnePlace() {
    let requests = (0..<50).map { Deferred<Int>(label: "GET /\($0)", fileID: "M/F", line: 1) }
    let answers = requests.map { $0.promise.map(on: context, fileID: "M/F", line: 2) { $0 } }
    let dialog = Deferred<Int>(label: "dialog", fileID: "M/F", line: 3)
    let all = Promise.all(answers + [dialog.promise])
    #expect(all.causes.prefix(6).map(\.label) == ["GET /0", "GET /1", "GET /2", "GET /3", "dialog", "GET /4"])
    #expect(all.causes.omittedCount == 51 - 32)
    dialog.fulfill(1)
    for request in requests { request.fulfill(1) }
    context.runUntilIdle()
    #expect(all.isFulfilled)
  }

  @Test("Of more than three causes of one place the text joins the third and later ones, and counts them")
  func joinedCauses() {
    let owners = (1...40).map { _ in Deferred<Int>(fileID: "M/F", line: 1) }
    let last = Deferred<Int>(label: "last", fileID: "M/F", line: 9)
    let all = Promise.all((owners + [last]).map(\.promise))
    let owner = "the owner of Promise<Int> made at M/F:1, which is alive and has not settled it; 2 promises wait for it"
    #expect(
      all.causes.description == """
        cause: \(owner)
        cause: \(owner)
        … 29 more such causes at M/F:1, for each of which 2 promises wait
        cause: \(owner.replacing("Promise<Int>", with: "Promise<Int> \"last\"").replacing(":1,", with: ":9,"))
        … 9 more causes
        """)
    #expect(all.causes.lines(atMost: 2).last == "… 39 more causes")
    for owner in owners { owner.fulfill(1) }
    last.fulfill(1)
  }

  @Test("A gate that is re-entered through three functions is the cause, with its label")
  func reenteredGate() {
    let gate = SerialGate(label: "database", fileID: "M/Gate", line: 9)
    @Sendable func save() -> Promise<Int> { gate.run(on: context, fileID: "M/F", line: 1) { update() } }
    @Sendable func update() -> Promise<Int> {
      Promise.fulfilled(1).then(on: context, fileID: "M/F", line: 2) { _ in log() }
    }
    @Sendable func log() -> Promise<Int> { gate.run(on: context, fileID: "M/F", line: 3) { Promise.fulfilled(1) } }
    let saved = save()
    context.runUntilIdle()
    #expect(
      texts(saved).map { $0.replacing(#/; \d+ promises wait for it/#, with: "") } == [
        """
        the SerialGate "database" made at M/Gate:9, with 1 operation inside, run at M/F:1, and 1 waiting, and an operation inside waits for a \
        place in the same gate
        """
      ])
    #expect(saved.causes.first?.kind == .gate)
    #expect(saved.causes.first?.label == "database")
    context.runUntilIdle(after: saved.cancel())
  }

  @Test("A gate that is re-entered is the cause, although the library has bypassed the result inside", .rule("3.3"))
  func reenteredAndBypassed() {
    let host = ConcurrencyLimit(1, label: "host", fileID: "M/Gate", line: 9)
    @Sendable func load(_ depth: UInt) -> Promise<Int> {
      Promise.fulfilled(1).then(on: context, fileID: "M/F", line: 10 + depth) { _ in
        host.run(on: context, fileID: "M/F", line: 20 + depth) {
          Promise.fulfilled(1).then(on: context, fileID: "M/F", line: 30 + depth) { value in
            depth == 0 ? load(1) : .fulfilled(value)
          }
        }
      }
    }
    let page = load(0)
    context.runUntilIdle()
    #expect(
      page.causes.map(\.summary) == [
        """
        the ConcurrencyLimit "host" made at M/Gate:9, with 1 operation inside, run at M/F:20, and 1 waiting, and an operation inside waits for a \
        place in the same gate
        """
      ])
    #expect(!page.debugDescription.contains("is settled"))
    #expect(page.debugDescription.contains("the operation inside, run at M/F:20, which is"))
    context.runUntilIdle(after: page.cancel(upstream: true))
    #expect(host.runningCount == 0)
  }

  @Test("A traversal of an asynchronous sequence that stops has one cause, which is the Task that reads it")
  func stoppedSequence() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let sums = Promise.traverse(stream, concurrency: 3, on: context, fileID: "M/F", line: 1) { Promise.fulfilled($0) }
    continuation.yield(1)
    #expect(
      await eventually {
        context.runUntilIdle()
        return sums.causes.map(\.summary) == ["the Task of Promise<()> made at M/F:1, which is running"]
      })
    continuation.finish()
    #expect(
      await eventually {
        context.runUntilIdle()
        return sums.isFulfilled
      })
  }

  @Test("Of a traversal that waits for the work of earlier elements, the causes are what that work waits for")
  func unfinishedElements() {
    let stopped = Deferred<Void>(label: "cleanup", fileID: "M/F", line: 1)
    let all = Promise.traverse(1...9, concurrency: 2, until: .finished, on: context, fileID: "M/F", line: 2) { _ in
      let element = Deferred<Int>(fileID: "M/F", line: 3)
      element.onCancelThen(on: context, fileID: "M/F", line: 4) { _ in stopped.promise }
      // Gives the element up, whose work then has to stop.
      return Promise.race([element.promise, .fulfilled(0)], cancelsLosers: true)
    }
    context.runUntilIdle()
    #expect(all.isPending)
    #expect(all.causes.map(\.label) == ["cleanup"])
    stopped.fulfill()
    context.runUntilIdle()
    #expect(all.isFulfilled)
  }

  @Test("Two gates whose operations wait for each other's places are two causes that name each other")
  func ringOfGates() {
    let one = ConcurrencyLimit(1, label: "one", fileID: "M/Gate", line: 1)
    let other = ConcurrencyLimit(1, label: "other", fileID: "M/Gate", line: 2)
    let first = one.run(on: context, fileID: "M/F", line: 1) { [context] in
      Promise.fulfilled(1).then(on: context) { _ in
        other.run(on: context, fileID: "M/F", line: 2) { Promise.fulfilled(1) }
      }
    }
    let second = other.run(on: context, fileID: "M/F", line: 3) { [context] in
      Promise.fulfilled(1).then(on: context) { _ in
        one.run(on: context, fileID: "M/F", line: 4) { Promise.fulfilled(1) }
      }
    }
    context.runUntilIdle()
    let text = first.causes.description
    #expect(first.causes.map(\.kind) == [.gate, .gate])
    #expect(
      text.contains(
        """
        the ConcurrencyLimit "one" made at M/Gate:1, with 1 operation inside, run at M/F:1, and 1 waiting, and an operation inside waits for a place in \
        the ConcurrencyLimit "other" made at M/Gate:2, where an operation waits for this gate
        """), "\(text)")
    #expect(text.contains("cause: the ConcurrencyLimit \"other\" made at M/Gate:2"))
    first.cancel()
    context.runUntilIdle(after: second.cancel())
  }

  @Test("A limit full of guests that wait for a second limit leads to the owner inside the second one")
  func limitBehindLimit() {
    let (outer, inner) = (
      ConcurrencyLimit(2, fileID: "M/Gate", line: 1), ConcurrencyLimit(1, fileID: "M/Gate", line: 2)
    )
    let answer = Deferred<Int>(label: "answer", fileID: "M/F", line: 9)
    let guests = (1...4).map { line in
      outer.run(on: context, fileID: "M/F", line: line) { [context] in
        inner.run(on: context, fileID: "M/F", line: 8) { answer.promise }
      }
    }
    context.runUntilIdle()
    #expect(guests[3].causes.map(\.kind) == [.owner])
    #expect(guests[3].causes.first?.label == "answer")
    context.runUntilIdle(after: answer.fulfill(1))
    #expect(guests.allSatisfy { $0.isFulfilled })
  }

  @Test("A paused gate is the cause, and the owner of an operation that was cancelled and goes on")
  func heldGates() {
    let gate = ConcurrencyLimit(1, label: "disk", fileID: "M/Gate", line: 9)
    gate.isPaused = true
    let waiting = gate.run(on: context, fileID: "M/F", line: 1) { Promise.fulfilled(1) }
    #expect(
      texts(waiting) == [
        """
        the ConcurrencyLimit "disk" made at M/Gate:9, with 0 operations inside and 1 waiting, paused; 2 promises wait for it
        """
      ])
    gate.isPaused = false
    context.runUntilIdle()
    let shared = Deferred<Int>()
    let other = shared.promise.map(on: context) { $0 }
    let first = gate.run(on: context, fileID: "M/F", line: 2) { shared.promise }
    context.runUntilIdle()
    first.cancel()
    let second = gate.run(on: context, fileID: "M/F", line: 3) { Promise.fulfilled(1) }
    #expect(second.causes.map(\.kind) == [.owner])
    context.runUntilIdle(after: shared.fulfill(1))
    #expect(other.isFulfilled)
  }

  @Test("A gate names the line of its operations once, if one line has run several")
  func operationsOfOneLine() {
    let gate = ConcurrencyLimit(2, label: "disk", fileID: "M/Gate", line: 9)
    @Sendable func read(_ depth: Int) -> Promise<Int> {
      gate.run(on: context, fileID: "M/F", line: 1) { depth == 0 ? Promise.fulfilled(1) : read(depth - 1) }
    }
    let files = (0..<2).map { _ in read(1) }
    context.runUntilIdle()
    #expect(
      texts(files[0]).map { $0.replacing(#/; \d+ promises wait for it/#, with: "") } == [
        """
        the ConcurrencyLimit "disk" made at M/Gate:9, with 2 operations inside, run at M/F:1, and 2 waiting, and an operation inside waits for a place \
        in the same gate
        """
      ])
    for file in files { file.cancel() }
    context.runUntilIdle()
  }

  @Test("A paused gate is a cause beside that for which the operation inside waits")
  func pausedGateWithGuest() {
    let gate = ConcurrencyLimit(2, label: "disk", fileID: "M/Gate", line: 9)
    let answer = Deferred<Int>(label: "answer", fileID: "M/F", line: 1)
    let inside = gate.run(on: context, fileID: "M/F", line: 2) { answer.promise }
    context.runUntilIdle()
    gate.isPaused = true
    let waiting = gate.run(on: context, fileID: "M/F", line: 3) { Promise.fulfilled(1) }
    #expect(Set(waiting.causes.map(\.label)) == ["disk", "answer"])
    #expect(
      texts(waiting).contains(
        """
        the ConcurrencyLimit "disk" made at M/Gate:9, with 1 operation inside, run at M/F:2, and 1 waiting, paused; 2 promises wait for it
        """), "\(texts(waiting))")
    gate.isPaused = false
    context.runUntilIdle()
    #expect(waiting.isFulfilled)
    context.runUntilIdle(after: answer.fulfill(1))
    #expect(inside.isFulfilled)
  }

  /// Timers of a client, which never fire.
  private final class BrokenTimers: TimerContext {
    private final class BrokenTimer: ScheduledTimer {
      private let action: @Sendable () -> Void

      init(_ action: @escaping @Sendable () -> Void) { self.action = action }

      func cancel() -> Bool { true }
    }

    let elapsed = Duration.zero

    func schedule(
      after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledTimer { BrokenTimer(action) }
  }

  @Test("A timer of a client is named by its type")
  func timerOfClient() {
    let pause = Promise.after(.seconds(1), fulfill: 1, timers: BrokenTimers(), fileID: "M/F", line: 1)
    let last = pause.map(on: context, fileID: "M/F", line: 2) { $0 }.labeled("poll")
    #expect(
      last.debugDescription == """
        Promise<Int> "poll", pending, map at M/F:2
          waits for Promise<Int>, M/F:1
            waits for its timer, a BrokenTimer, set at M/F:1
        """)
    #expect(texts(last) == ["the timer of Promise<Int>, a BrokenTimer, set at M/F:1; 2 promises wait for it"])
    #expect(last.causes.map(\.kind) == [.timer])
    last.cancel(upstream: true)
  }

  @Test("Handlers that are queued on one context have one cause, and a label is named")
  func queuedHandlers() {
    let promises = (1...3).map { line in
      Promise.fulfilled(1).map(on: context, fileID: "M/F", line: UInt(line)) { $0 }.labeled("step \(line)")
    }
    let all = Promise.all(promises, fileID: "M/F", line: 9)
    #if DEBUG
      #expect(
        texts(all) == [
          """
          the handler of "step 1", map at M/F:1 and 2 others, which are queued on a ManualContext; 4 promises wait for it
          """
        ])
    #else
      #expect(all.causes.map(\.kind) == [.handler, .handler, .handler])
    #endif
    #expect(texts(promises[0]).first?.hasPrefix("the handler of \"step 1\", map at M/F:1, which is queued") == true)
    context.runUntilIdle()
  }

  @Test("A search in a tower of combinators that meet again visits each promise once", .bounded)
  func diamonds() {
    let owners = (0..<20).map { Deferred<Int>(fileID: "M/F", line: UInt($0)) }
    var row = owners.map { $0.promise.asVoid() }
    for _ in 0..<50 { row = row.map { _ in Promise.all(row).asVoid() } }
    let causes = row[0].causes
    #expect(causes.count == 20)
    #expect(causes.promiseCount == 20 + 20 + 49 * 40 + 2)
    #expect(causes.isComplete)
    #expect(causes.allSatisfy { $0.promiseCount == 2 + 49 * 40 + 2 })
    for owner in owners { owner.fulfill(1) }
  }

  @Test("A search ends after a number of promises or of steps, and its text says so")
  func bounds() {
    let owners = (0..<30).map { Deferred<Int>(fileID: "M/F", line: UInt($0)) }
    var row = owners.map { $0.promise.asVoid() }
    for _ in 0..<5 { row = row.map { _ in Promise.all(row).asVoid() } }
    let all = Promise.all(row)
    #expect(all.causes(lookingAtMost: 361, steps: 100_000).isComplete)
    #expect(all.causes(lookingAtMost: 361, steps: 100_000).promiseCount == 361)
    // The search goes up through 11 promises to the first input of the first row.
    let few = all.causes(lookingAtMost: 40, steps: 100_000)
    #expect(!few.isComplete)
    #expect(few.promiseCount == 40)
    #expect(few.map(\.createdAt?.line) == Array(0..<14))
    #expect(
      few.description.hasSuffix(
        "\n… the search ended after 40 promises: there may be more causes, and larger numbers of promises"))
    #expect(!all.causes(lookingAtMost: 361, steps: 1_000).isComplete)
    for owner in owners { owner.fulfill(1) }
  }

  @Test("A search that has ended early unites no more causes, because that would take more and more memory")
  func unions() {
    let owners = (0...50).map { Deferred<Void>(fileID: "M/F", line: UInt($0)) }
    var last = owners[0].promise
    for owner in owners.dropFirst() { last = Promise.all([owner.promise, last]).asVoid() }
    #expect(last.causes.map(\.promiseCount).max() == 101)
    let early = last.causes(lookingAtMost: 1_000, steps: 100)
    #expect(!early.isComplete)
    #expect(early.map(\.promiseCount).max() == 3, "the owner's promise and the two that wait for it at once")
    for owner in owners { owner.fulfill(()) }
  }

  @Test("A search looks at 100,000 promises and no further", .slow)
  func bound() {
    let owner = Deferred<Int>(fileID: "M/F", line: 1)
    var last = owner.promise
    for _ in 0..<99_999 { last = last.map(on: context) { $0 } }
    #expect(last.causes.isComplete)
    #expect(last.causes.map(\.promiseCount) == [100_000])
    let longer = last.map(on: context) { $0 }
    #expect(
      longer.causes.description == """
        … the search ended after 100000 promises: there may be more causes, and larger numbers of promises
        """)
    longer.cancel(upstream: true)
  }

  @Test("A cleanup that never ends, and a hook, are the causes of a promise that has not finished", .rule("2.11"))
  func unfinished() {
    let stopped = Deferred<Void>(label: "stopped", fileID: "M/F", line: 9)
    let owner = Deferred<Int>(fileID: "M/F", line: 1)
    owner.onCancelThen(fileID: "M/F", line: 2) { _ in stopped.promise }
    let link = owner.promise.map(on: context, fileID: "M/F", line: 3) { $0 }
    link.cancel(upstream: true)
    #expect(link.whenFinished().causes.map(\.label) == ["stopped"])
    #expect(owner.promise.causes.map(\.kind) == [.owner])
    stopped.fulfill()
    #expect(link.causes.isEmpty)
  }

  @Test("URLs in labels are shortened in the values and in the text")
  func redaction() {
    let owner = Deferred<Int>(label: "GET https://user:secret@host/path?key=1", fileID: "M/F", line: 1)
    let cause = owner.promise.causes.first
    #expect(cause?.label == "GET https://host/path?…")
    #expect(cause?.description.contains("secret") == false)
    #expect(cause?.description.contains("GET https://host/path?…") == true)
    owner.fulfill(1)
  }
}
