import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@testable import PromiseRecording

@Suite("The recorder", .bounded) struct RecorderTests {
  private let context = ManualContext()

  /// Makes a recorder whose clock advances by a millisecond with each event.
  private func makeRecorder(capacity: Int = 1_000, describesValues: Bool = false) -> Recorder {
    let ticks = Locked(0)
    return Recorder(capacity: capacity, describesValues: describesValues) { .milliseconds(ticks.increment()) }
  }

  @Test("A chain is recorded from the creation of its promises to their outcomes")
  func chain() {
    let recorder = makeRecorder(describesValues: true)
    recorder.record {
      let owner = Deferred<Int>(label: "number", fileID: "M/F", line: 1)
      let mapped = owner.promise.map(on: context, fileID: "M/F", line: 2) { $0 + 1 }
      mapped.onFulfilled(on: context) { _ in }
      owner.fulfill(1)
      context.runUntilIdle()
    }
    #expect(
      recorder.recording.builder == [
        "1 promise Promise<Int> M/F:1 []", "1 label number", "2 map Promise<Int> M/F:2 [1]",
        "3 onFulfilled  M/F:2 [2] observer", "1 fulfilled 1", "2 began on a ManualContext", "2 returned",
        "2 fulfilled 2", "3 began on a ManualContext", "3 returned",
      ])
    #expect(recorder.recording.events.map(\.time) == (1...10).map { .milliseconds($0) })
    #expect(recorder.recording.droppedCount == 0)
  }

  @Test("A promise that another recorder has recorded is no source")
  func otherRecorder() {
    let old = makeRecorder()
    let new = makeRecorder()
    let source = old.record { Promise.fulfilled(1, fileID: "M/F", line: 1) }
    new.record {
      _ = Promise.fulfilled("other", fileID: "M/F", line: 2)
      _ = source.map(on: context, fileID: "M/F", line: 3) { $0 }
    }
    #expect(
      new.recording.builder == ["1 promise Promise<String> M/F:2 []", "1 fulfilled -", "2 map Promise<Int> M/F:3 []"])
    context.runUntilIdle()
  }

  @Test("The promise that clients of an observing owner get is recorded as that of the owner")
  func clientPromise() {
    let recorder = makeRecorder()
    recorder.record {
      let owner = Deferred<Int>(cancelsWithoutClients: true, fileID: "M/F", line: 1)
      let client = owner.promise
      _ = client.map(on: context, fileID: "M/F", line: 2) { $0 }
      _ = Promise.all([client], fileID: "M/F", line: 3)
      _ = Promise.fulfilled(1, fileID: "M/F", line: 4).then(on: context, fileID: "M/F", line: 5) { _ in client }
      context.runUntilIdle()
      owner.fulfill(1)
      context.runUntilIdle()
    }
    let builder = recorder.recording.builder
    #expect(builder.contains("2 map Promise<Int> M/F:2 [1]"))
    #expect(builder.contains("3 all Promise<Array<Int>> M/F:3 [1]"))
    #expect(builder.contains("5 waits for 1"))
  }

  @Test("A combinator's result has its inputs, however many events were recorded since it was made")
  func lateCombination() throws {
    let recorder = makeRecorder()
    recorder.record {
      let owner = Deferred<Int>(fileID: "M/F", line: 1)
      recorder.record(.made(owner.promise, from: nil, context: ""), of: 2)
      for _ in 0..<500 { recorder.record(.labeled("event"), of: 1) }
      recorder.record(.combines(.all, [owner.promise]), of: 2)
    }
    #expect(recorder.recording.builder.contains("2 all Promise<Int> M/F:1 [1]"))
  }

  @Test("A promise does not retain its recorder, not even one that is fulfilled from the start", .rule("6.1"))
  func released() {
    weak var recorder: Recorder?
    let promises: [Promise<Int>] = {
      let new = makeRecorder()
      recorder = new
      return new.record { [.fulfilled(1), Promise.fulfilled(1).map(on: context) { $0 }] }
    }()
    context.runUntilIdle()
    #expect(promises.allSatisfy { $0.isFulfilled })
    #expect(recorder == nil)
  }

  @Test("A pending promise does not retain its recorder, even if it has a handler that is recorded", .rule("6.1"))
  func pendingReleased() {
    weak var recorder: Recorder?
    let owner = Deferred<Int>()
    let promise = {
      let new = makeRecorder()
      recorder = new
      return new.record { owner.promise.map(on: context) { $0 + 1 } }
    }()
    #expect(recorder == nil)
    owner.fulfill(1)
    context.runUntilIdle()
    #expect(promise.state.value == 2)
  }

  @Test("What is recorded of a promise after stop() does not depend on other diagnostics")
  func stopped() {
    let recorder = makeRecorder()
    let owners = recorder.record { (1...3).map { Deferred<Int>(fileID: "M/F", line: UInt($0)) } }
    owners[0].promise.labeled("late")
    owners[0].follow(owners[1].promise)
    owners[2].promise.cancel(reason: TestError(1))
    #expect(
      recorder.recording.builder.dropFirst(3) == [
        "1 label late", "1 waits for 2", "3 cancel TestError(number: 1)", "3 cancelled TestError(number: 1)",
      ])
    owners[1].fulfill(1)
  }

  @Test("A promise whose value is being described is not recorded as released")
  func described() {
    struct Described: CustomStringConvertible, Sendable {
      let recorder: Recorder
      let released: Log<[Int]>
      var description: String { released.append(recorder.recording.released, returning: "described") }
    }
    let recorder = makeRecorder(describesValues: true)
    let released = Log<[Int]>()
    recorder.record { _ = Promise.fulfilled(Described(recorder: recorder, released: released)) }
    #expect(released.entries == [[]])
  }

  // In a process of its own, because the hook is that of the whole process.
  @Test("A link is listed and recorded when it has its source, not while its context is being captured", .rule("8.2"))
  func listedWithSource() async {
    await #expect(processExitsWith: .success) {
      let recorder = Recorder(capacity: 1_000, describesValues: false)
      let context = ManualContext()
      let released = Log<[Int]>()
      let causes = Log<String>()
      recorder.record {
        let owner = Deferred<Int>(fileID: "M/F", line: 1)
        Diagnostics.carryContext {
          let recording = recorder.recording
          released.append(recording.released)
          causes.append("\(recording.causes)")
          return nil
        }
        let mapped = owner.promise.map(on: context, fileID: "M/F", line: 2) { $0 }
        Diagnostics.carryContext(nil)
        #expect(released.entries == [[]])
        #expect(causes.entries.count == 1)
        #expect(causes.entries.allSatisfy { $0.contains("M/F:1") && !$0.contains("M/F:2") })
        #expect(mapped.isPending)
        owner.fulfill(1)
        context.runUntilIdle()
      }
    }
  }

  @Test("A recording begins when its recorder is first on, or with the oldest event that was kept")
  func beginning() {
    let seconds = Locked(100)
    let recorder = Recorder(capacity: 3, describesValues: false) { .seconds(seconds.withLock { $0 }) }
    #expect(recorder.recording.duration == .zero)
    recorder.record {
      seconds.withLock { $0 = 101 }
      let owner = Deferred<Int>(label: "old", fileID: "M/F", line: 1)
      #expect(recorder.recording.events.map(\.time) == [.seconds(1), .seconds(1)])
      seconds.withLock { $0 = 105 }
      for line in 2...3 { _ = Promise.fulfilled(1, fileID: "M/F", line: UInt(line)) }
      seconds.withLock { $0 = 106 }
      let recording = recorder.recording
      #expect(recording.droppedCount == 3)
      #expect(recording.duration == .seconds(1))
      #expect(recording.events.map(\.time) == Array(repeating: .zero, count: 5))
      // The promise is still pending, so it has a row.
      #expect(recording.builder.prefix(2) == ["1 promise  M/F:1 []", "1 label old"])
      #expect(recording.pending == [1])
      owner.fulfill(1)
    }
  }

  @Test(
    "A promise that was settled before the oldest event has a slice and a row while it has not finished", .rule("2.11"))
  func unfinishedBefore() async {
    let recorder = makeRecorder(capacity: 2)
    let end = Deferred<Void>()
    recorder.record {
      let owner = Deferred<Int>(label: "old", fileID: "M/F", line: 1)
      owner.onEndThen { _ in end.promise }
      owner.fulfill(1)
      for line in 2...3 { _ = Promise.fulfilled(1, fileID: "M/F", line: UInt(line)) }
    }
    let recording = recorder.recording
    #expect(recording.olderUnfinished == [1])
    let lines = recording.trace.split(separator: "\n").filter { $0.contains("unfinished ") }
    #expect(lines.map { $0.contains("\"ph\":\"b\"") } == [true, false])
    #expect(recording.page(title: "t").contains("\"olderUnfinished\":[1]"))
    // No slice of the pending promise, which would have no end.
    let begun = recording.trace.split(separator: "\n").filter { $0.contains("\"ph\":\"b\"") }
    #expect(!begun.contains { $0.contains("\"cat\":\"promise\",\"id\":\"0x1\"") })
    end.fulfill()
    // The hook runs on the pool.
    #expect(await eventually { recorder.recording.olderUnfinished.isEmpty })
  }

  @Test("A label is recorded even if the promise is settled")
  func lateLabel() {
    let recorder = makeRecorder()
    recorder.record { _ = Promise.fulfilled(1, fileID: "M/F", line: 1).labeled("done") }
    #expect(recorder.recording.builder == ["1 promise Promise<Int> M/F:1 []", "1 fulfilled -", "1 label done"])
  }

  @Test("Rejections, cancellations, adoptions, inputs and resources are recorded")
  func everythingElse() {
    let recorder = makeRecorder()
    recorder.record {
      let owners = (1...3).map { Deferred<Int>(fileID: "M/F", line: UInt($0)) }
      let all = Promise.all(owners[0].promise, owners[1].promise, fileID: "M/F", line: 4).asVoid(fileID: "M/F", line: 5)
      owners[1].follow(owners[2].promise)
      let then = owners[2].promise.then(on: context, fileID: "M/F", line: 6) { _ in owners[0].promise }
      owners[2].fulfill(1)
      context.runUntilIdle()
      then.cancel(reason: TestError(1), upstream: true)
      owners[0].reject(TestError(2))
      _ = all.error
    }
    let builder = recorder.recording.builder
    #expect(
      builder == [
        "1 promise Promise<Int> M/F:1 []", "2 promise Promise<Int> M/F:2 []", "3 promise Promise<Int> M/F:3 []",
        "4 all Promise<(Int, Int)> M/F:4 [1, 2]", "5 asVoid Promise<()> M/F:5 [4]", "2 waits for 3",
        "6 then Promise<Int> M/F:6 [3]",
        // The recorder describes values only if the program requests it.
        "3 fulfilled -", "2 fulfilled -", "6 began on a ManualContext", "6 returned", "6 waits for 1",
        "6 cancel TestError(number: 1) upstream", "6 cancelled TestError(number: 1)", "1 rejected TestError(number: 2)",
        "4 rejected TestError(number: 2)", "5 rejected TestError(number: 2)",
      ])
  }

  @Test("A promise that waits in a gate is recorded with its place in that gate")
  func gate() {
    let recorder = makeRecorder()
    let gate = SerialGate(label: "disk", fileID: "M/Gate", line: 1)
    recorder.record {
      let first = gate.run(on: context, fileID: "M/F", line: 1) { Promise.fulfilled(1) }
      let second = gate.run(on: context, fileID: "M/F", line: 2) { Promise.fulfilled(1) }
      context.runUntilIdle()
      #expect(first.isFulfilled)
      #expect(second.isFulfilled)
    }
    #expect(recorder.recording.builder.contains { $0.contains("a place in the SerialGate \"disk\" made at M/Gate:1") })
  }

  @Test("An operation that its gate refuses is recorded as one that has left the gate")
  func refused() {
    let recorder = makeRecorder()
    let gate = SerialGate(queueLimit: 0, label: "disk", fileID: "M/Gate", line: 1)
    recorder.record {
      let first = gate.run(on: context, fileID: "M/F", line: 1) { Promise.fulfilled(1) }
      let second = gate.run(on: context, fileID: "M/F", line: 2) { Promise.fulfilled(1) }
      context.runUntilIdle()
      #expect(first.isFulfilled)
      #expect(second.failure?.code == .queueFull)
    }
    #expect(recorder.recording.builder.count { $0.hasSuffix(" left") } == 2)
  }

  @Test("A gate is recorded with its places, and each operation from its place to the end of its work")
  func gatePlaces() {
    let recorder = makeRecorder()
    let gate = ConcurrencyLimit(2, label: "disk", fileID: "M/Gate", line: 1)
    let other = SerialGate(fileID: "M/Gate", line: 2)
    let work = Deferred<Int>()
    recorder.record {
      let first = gate.run(on: context, fileID: "M/F", line: 1) { work.promise }
      let second = other.run(on: context, fileID: "M/F", line: 2) { Promise.fulfilled(1) }
      context.runUntilIdle()
      #expect(first.isPending)
      #expect(second.isFulfilled)
      #expect(!recorder.recording.builder.contains("1 left"))
      work.fulfill(1)
      context.runUntilIdle()
    }
    let builder = recorder.recording.builder
    #expect(builder.contains("1 waits for a place in the ConcurrencyLimit \"disk\" made at M/Gate:1, gate 1 of 2"))
    #expect(builder.contains("3 waits for a place in the SerialGate made at M/Gate:2, gate 2 of 1"))
    #expect(builder.suffix(2) == ["1 left", "2 fulfilled -"])
  }

  @Test("A place in a rate limit is recorded without a gate, because no operation keeps it")
  func rateLimit() {
    let recorder = makeRecorder()
    let limit = RateLimit(1, per: .seconds(1), fileID: "M/Gate", line: 1)
    recorder.record {
      _ = limit.run(on: context, fileID: "M/F", line: 1) { Promise.fulfilled(1) }
      context.runUntilIdle()
    }
    #expect(recorder.recording.builder.contains("1 waits for a place in the RateLimit made at M/Gate:1"))
  }

  @Test("A cancelled promise is recorded as unfinished until its work has ended", .rule("2.11"))
  func unfinished() {
    let recorder = makeRecorder()
    let cleanup = recorder.record { Deferred<Void>(fileID: "M/F", line: 3) }
    recorder.record {
      let owner = Deferred<Int>(fileID: "M/F", line: 1)
      owner.onCancelThen { _ in cleanup.promise }
      let finish = owner.promise.whenFinished(fileID: "M/F", line: 2)
      #expect(finish.isPending)
      owner.promise.cancel(reason: TestError(1))
    }
    let before = [
      "1 promise Promise<()> M/F:3 []", "2 promise Promise<Int> M/F:1 []", "3 promise Promise<()> M/F:2 []",
      "3 waits for the finish of 2", "2 cancel TestError(number: 1)",
    ]
    let settled = ["2 cancelled TestError(number: 1)", "2 unfinished", "2 waits for the finish of 1"]
    #expect(recorder.recording.builder == before + settled)
    cleanup.fulfill(())
    #expect(recorder.recording.builder == before + settled + ["1 fulfilled -", "2 finished", "3 fulfilled -"])
  }

  @Test("A promise whose sources have finished before it is settled is not recorded as unfinished", .rule("2.11"))
  func finishedBefore() {
    let recorder = makeRecorder()
    let cleanup = Deferred<Void>()
    recorder.record {
      let owner = Deferred<Int>(fileID: "M/F", line: 1)
      owner.onCancelThen { _ in cleanup.promise }
      let other = Deferred<Int>(fileID: "M/F", line: 2)
      let both = Promise.allSettled([owner.promise, other.promise], fileID: "M/F", line: 3)
      owner.promise.cancel(reason: TestError(1))
      cleanup.fulfill(())
      other.fulfill(1)
      #expect(both.isFulfilled)
    }
    #expect(recorder.recording.builder.filter { $0.hasSuffix("finished") } == ["1 unfinished", "1 finished"])
  }

  @Test("An event takes the documented number of bytes, apart from its texts")
  func size() { #expect(MemoryLayout<Recording.Event>.stride == 104) }

  @Test("The recorder keeps the newest events in order and counts the dropped events", arguments: [1, 7, 100])
  func ring(capacity: Int) {
    let recorder = makeRecorder(capacity: capacity)
    recorder.record { for line in 1...50 { _ = Deferred<Int>(fileID: "M/F", line: UInt(line)) } }
    let recording = recorder.recording
    // Each owner makes a promise, which is rejected when the owner is released.
    #expect(recording.events.count == min(capacity, 100))
    #expect(recording.droppedCount == max(0, 100 - capacity))
    #expect(recording.events.map(\.time) == recording.events.map(\.time).sorted())
    // The recording begins with the oldest event that was kept.
    #expect(recording.events.last?.time == .milliseconds(capacity < 100 ? capacity - 1 : 100))
  }

  @Test("A promise is recorded by the recorder active at its creation, even after another recorder has replaced it")
  func replaced() {
    let first = makeRecorder()
    let second = makeRecorder()
    let owner = first.record { Deferred<Int>(fileID: "M/F", line: 1) }
    second.record {
      owner.promise.labeled("later")
      owner.promise.cancel(reason: TestError(1))
    }
    #expect(
      first.recording.builder == [
        "1 promise Promise<Int> M/F:1 []", "1 label later", "1 cancel TestError(number: 1)",
        "1 cancelled TestError(number: 1)",
      ])
    #expect(second.recording.events.isEmpty)
  }

  @Test("Each promise of a loop has one outcome in the recording, even if the library bypasses it", .rule("3.3"))
  func bypassed() {
    let recorder = makeRecorder()
    recorder.record {
      let first = Deferred<Int>()
      @Sendable func step(_ count: Int) -> Promise<Int> {
        Promise.run(on: context) { count }.then(on: context) { count == 20 ? first.promise : step($0 + 1) }
      }
      let loop = step(1)
      context.runUntilIdle()
      #expect(loop.isPending)
      loop.onFulfilled(on: context) { _ in }
      let open = recorder.recording
      let observers = open.events.compactMap { event in
        if case .created(let creation) = event.kind, creation.isObserver { creation.id } else { nil as Int? }
      }
      #expect(observers.count == 1)
      #expect(!open.released.isEmpty && !open.released.contains(observers[0]))
      first.fulfill(7)
      context.runUntilIdle()
      #expect(loop.isFulfilled)
    }
    let recording = recorder.recording
    var ends: [Recording.ID: Int] = [:]
    for case .settled(let id, .fulfilled, _) in recording.events.map(\.kind) { ends[id, default: 0] += 1 }
    #expect(ends.count == 41)
    #expect(ends.values.allSatisfy { $0 == 1 })
    #expect(recording.events.map(\.time) == recording.events.map(\.time).sorted())
  }

  @Test("A handler's context is recorded when it is attached, and a link without a handler has an empty context")
  func contexts() {
    let recorder = makeRecorder()
    _ = recorder.record { Promise.fulfilled(1).map(on: context) { $0 }.asVoid().onFulfilled(on: context) { _ in } }
    context.runUntilIdle()
    let contexts = recorder.recording.events.compactMap { event in
      if case .created(let creation) = event.kind { creation.context } else { nil as String? }
    }
    #expect(contexts == ["", "a ManualContext", "", "a ManualContext"])
  }

  @Test("A link that is made on an outside promise after the recording is not recorded")
  func others() {
    let recorder = makeRecorder()
    let outside = Deferred<Int>()
    recorder.record { _ = outside.promise.asVoid(fileID: "M/F", line: 1) }
    _ = outside.promise.asVoid(fileID: "M/F", line: 2)
    outside.fulfill(1)
    // The scope of a link is that of its source. Without a scope of the source, it is that of the calling code.
    let builder = recorder.recording.builder
    #expect(builder.contains { $0.contains("M/F:1") })
    #expect(builder.allSatisfy { !$0.contains("M/F:2") })
  }

  @Test("An async handler is recorded from start to return, and a promise is recorded as waiting for its Task")
  func asyncHandlers() async throws {
    let recorder = makeRecorder()
    let mapped = recorder.record {
      Promise.task(fileID: "M/F", line: 1) { 1 }.asyncMap(fileID: "M/F", line: 2) { $0 }
    }
    _ = try await mapped.value
    let builder = recorder.recording.builder
    #expect(builder.contains("2 began on a Task async"))
    #expect(builder.contains("2 returned"))
    #expect(builder.contains { $0.hasPrefix("1 waits for its Task, made at M/F:1") })
  }

  @Test("Threads that record at the same time lose no events, and all events are in the order of their times")
  func threads() async {
    let recorder = makeRecorder(capacity: 1_000_000)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          recorder.record {
            for _ in 0..<500 {
              let owner = Deferred<Int>()
              let derived = owner.promise.asVoid()
              owner.fulfill(1)
              withExtendedLifetime(derived) {}
            }
          }
        }
      }
    }
    let recording = recorder.recording
    #expect(recording.events.count == 4 * 500 * 4)
    #expect(recording.events.map(\.time) == recording.events.map(\.time).sorted())
    let made = recording.events.compactMap { event in
      if case .created(let creation) = event.kind { creation.id } else { nil }
    }
    #expect(Set(made).count == 4 * 500 * 2)
  }
}

extension Recording {
  /// The events without times and threads, one line for each event.
  fileprivate var builder: [String] {
    events.map { event in
      switch event.kind {
      case .created(let creation):
        "\(creation.id) \(creation.operation) \(creation.type) \(creation.createdAt) \(creation.sources)"
          + (creation.isObserver ? " observer" : "")
      case .began(let id, let context, let isAsync): "\(id) began on \(context)\(isAsync ? " async" : "")"
      case .returned(let id): "\(id) returned"
      case .settled(let id, let outcome, let text): "\(id) \(outcome) \(text ?? "-")"
      case .cancelled(let id, let reason, let upstream): "\(id) cancel \(reason)\(upstream ? " upstream" : "")"
      case .adopted(let id, let adopted): "\(id) waits for \(adopted)"
      case .labeled(let id, let label): "\(id) label \(label)"
      case .waits(let id, let text, let gate):
        "\(id) waits for \(text)" + (gate.map { ", gate \($0.id) of \($0.places)" } ?? "")
      case .unfinished(let id): "\(id) unfinished"
      case .finished(let id): "\(id) finished"
      case .left(let id): "\(id) left"
      case .awaitsFinish(let id, let other): "\(id) waits for the finish of \(other)"
      }
    }
  }
}
