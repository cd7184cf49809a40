import Dispatch
import Foundation
import PromiseCombinators
import PromiseFoundation
import PromiseGates
import TestSupport
import Testing

/// A program that hangs until ``Hang/end`` is called. Docs/Recipes/WhyIsItPending.md has a table of these programs.
struct HungProgram: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The summaries of the causes of the promise that hangs, in a debug build.
  let causes: [String]
  /// The summaries of further causes, which a report on all promises of the program names.
  var furtherCauses: [String] = []
  let start: @Sendable (ManualContext) -> Hang
}

/// A program that was started.
struct Hang {
  /// The promise that should have been settled.
  let promise: AnyPromise
  /// Whether the other threads of the program have arrived where they wait.
  var isReached: () -> Bool = { true }
  /// Lets the program go on, up to its end. The caller then runs the context.
  let end: () -> Void
}

extension HungProgram {
  static let all = [
    requests, reenteredGate, limitBehindLimit, semaphore, stream, cleanup, delegate, dictionary, inputOfAll, runLoop,
    actors, pausedGate,
  ]

  static let requests = HungProgram(
    testDescription: "1,000 requests behind one refresh",
    causes: [#"the owner of Promise<Int> "refresh" made at Hang/Refresh:1, which is alive and has not settled it"#]
  ) { context in
    let refresh = Deferred<Int>(label: "refresh", fileID: "Hang/Refresh", line: 1)
    let requests = (0..<1_000).map { number in
      refresh.promise.map(on: context, fileID: "Hang/Refresh", line: 2) { $0 }.labeled("GET /items/\(number)")
    }
    let all = Promise.all(requests, fileID: "Hang/Refresh", line: 3)
    return Hang(promise: all) { refresh.fulfill(1) }
  }

  static let reenteredGate = HungProgram(
    testDescription: "a gate that is re-entered through three functions",
    causes: [
      """
      the SerialGate "database" made at Hang/Reentry:9, with 1 operation inside, run at Hang/Reentry:1, and 1 waiting, \
      and an operation inside waits for a place in the same gate
      """
    ]
  ) { context in
    let gate = SerialGate(label: "database", fileID: "Hang/Reentry", line: 9)
    @Sendable func save() -> Promise<Int> { gate.run(on: context, fileID: "Hang/Reentry", line: 1) { update() } }
    @Sendable func update() -> Promise<Int> {
      Promise.fulfilled(1).then(on: context, fileID: "Hang/Reentry", line: 2) { _ in log() }
    }
    @Sendable func log() -> Promise<Int> {
      gate.run(on: context, fileID: "Hang/Reentry", line: 3) { Promise.fulfilled(1) }
    }
    let saved = save()
    context.runUntilIdle()
    return Hang(promise: saved) { saved.cancel() }
  }

  static let limitBehindLimit = HungProgram(
    testDescription: "a limit full of operations that wait for a second limit",
    causes: [#"the owner of Promise<Int> "answer" made at Hang/Limits:1, which is alive and has not settled it"#]
  ) { context in
    let outer = ConcurrencyLimit(2, label: "requests", fileID: "Hang/Limits", line: 8)
    let inner = ConcurrencyLimit(1, label: "disk", fileID: "Hang/Limits", line: 9)
    let answer = Deferred<Int>(label: "answer", fileID: "Hang/Limits", line: 1)
    let results = (2...5).map { line in
      outer.run(on: context, fileID: "Hang/Limits", line: line) {
        inner.run(on: context, fileID: "Hang/Limits", line: 6) { answer.promise }
      }
    }
    context.runUntilIdle()
    return Hang(promise: results[3]) { answer.fulfill(1) }
  }

  static let semaphore = HungProgram(
    testDescription: "a semaphore that a handler on the same queue would signal",
    causes: [
      #"the handler of map at Hang/Semaphore:1, which is running on the queue "images""#,
      #"the handler of map at Hang/Semaphore:2, which is queued on the queue "images""#,
    ]
  ) { _ in
    let queue = DispatchQueue(label: "images")
    let decoded = DispatchSemaphore(value: 0)
    let begun = Deferred<Void>()
    let shown = Promise.fulfilled(1).map(on: .queue(queue), fileID: "Hang/Semaphore", line: 1) { value in
      begun.fulfill()
      decoded.wait()
      return value
    }
    let signalled = Promise.fulfilled(1).map(on: .queue(queue), fileID: "Hang/Semaphore", line: 2) { value in
      decoded.signal()
      return value
    }
    let both = Promise.all([shown, signalled], fileID: "Hang/Semaphore", line: 3)
    return Hang(promise: both, isReached: { begun.promise.isFulfilled }) { decoded.signal() }
  }

  static let stream = HungProgram(
    testDescription: "an AsyncStream that never ends",
    causes: ["the Task of Promise<Int> made at Hang/Stream:1, which is running"]
  ) { _ in
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let begun = Deferred<Void>()
    let sum = Promise.task(fileID: "Hang/Stream", line: 1) { () async -> Int in
      begun.fulfill()
      var sum = 0
      for await number in stream { sum += number }
      return sum
    }
    let summed = sum.asVoid(fileID: "Hang/Stream", line: 2)
    return Hang(promise: summed, isReached: { begun.promise.isFulfilled }) { continuation.finish() }
  }

  static let cleanup = HungProgram(
    testDescription: "a cleanup that never ends",
    causes: [#"the owner of Promise<()> "file closed" made at Hang/Cleanup:1, which is alive and has not settled it"#]
  ) { context in
    let closed = Deferred<Void>(label: "file closed", fileID: "Hang/Cleanup", line: 1)
    let text = Deferred<Int>(fileID: "Hang/Cleanup", line: 2)
    let read = text.promise.alwaysThen(on: context, fileID: "Hang/Cleanup", line: 3) { _ in closed.promise }
    read.cancel(upstream: true)
    context.runUntilIdle()
    let finished = read.whenFinished(fileID: "Hang/Cleanup", line: 4)
    return Hang(promise: finished) { closed.fulfill() }
  }

  static let delegate = HungProgram(
    testDescription: "a delegate that keeps its owner and is never called",
    causes: [#"the owner of Promise<Int> "position" made at Hang/Delegate:1, which is alive and has not settled it"#]
  ) { context in
    final class Measurement: Sendable {
      let position = Deferred<Int>(label: "position", fileID: "Hang/Delegate", line: 1)

      func sensorDidMeasure(_ position: Int) { self.position.fulfill(position) }
    }
    final class Sensor {
      var delegate: Measurement?
    }
    let sensor = Sensor()
    let measurement = Measurement()
    sensor.delegate = measurement
    let shown = measurement.position.promise.map(on: context, fileID: "Hang/Delegate", line: 2) { $0 }
    return Hang(promise: shown) { sensor.delegate?.sensorDidMeasure(1) }
  }

  static let dictionary = HungProgram(
    testDescription: "an owner that is forgotten in a dictionary",
    causes: [#"the owner of Promise<Int> "answer b" made at Hang/Dictionary:1, which is alive and has not settled it"#]
  ) { context in
    var owners: [String: Deferred<Int>] = [:]
    for key in ["a", "b"] { owners[key] = Deferred(label: "answer \(key)", fileID: "Hang/Dictionary", line: 1) }
    let sum = Promise.all(owners.values.map(\.promise), fileID: "Hang/Dictionary", line: 2)
      .map(on: context, fileID: "Hang/Dictionary", line: 3) { $0.reduce(0, +) }
    owners.removeValue(forKey: "a")?.fulfill(1)
    return Hang(promise: sum) { owners["b"]?.fulfill(2) }
  }

  static let inputOfAll = HungProgram(
    testDescription: "an all whose 400th input hangs",
    causes: ["the owner of Promise<Int> made at Hang/Inputs:400, which is alive and has not settled it"]
  ) { context in
    let owners = (1...400).map { Deferred<Int>(fileID: "Hang/Inputs", line: UInt($0)) }
    let sum = Promise.all(owners.map(\.promise), fileID: "Hang/Inputs", line: 401)
      .map(on: context, fileID: "Hang/Inputs", line: 402) { $0.reduce(0, +) }
    for owner in owners.dropLast() { owner.fulfill(1) }
    return Hang(promise: sum) { owners[399].fulfill(1) }
  }

  static let runLoop = HungProgram(
    testDescription: "a run loop that was stopped while its thread lives",
    causes: [#"the handler of map at Hang/RunLoop:1, which is queued on the thread "drawing""#]
  ) { _ in
    let mayBegin = Gate()
    let hasContext = Gate()
    let hasStopped = Gate()
    let mayEnd = Gate()
    let context = Locked<ThreadContext?>(nil)
    let isRunning = Locked(true)
    let thread = Thread {
      // The thread waits until `start` has returned, because otherwise another thread may get the name on Linux.
      mayBegin.wait()
      Thread.current.name = "drawing"
      context.withLock { $0 = .current }
      hasContext.open()
      while isRunning.withLock({ $0 }) { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
      hasStopped.open()
      mayEnd.wait()
    }
    thread.start()
    mayBegin.open()
    hasContext.wait()
    guard let drawing = context.withLock({ $0.take() }) else { fatalError("set before the gate was opened") }
    Promise.fulfilled(1).onFulfilled(on: drawing) { _ in isRunning.withLock { $0 = false } }
    hasStopped.wait()
    let drawn = Promise.fulfilled(1).map(on: drawing, fileID: "Hang/RunLoop", line: 1) { $0 }
    drawn.onRejected(on: .atOnce) { _ in }
    return Hang(promise: drawn) {
      mayEnd.open()
      // A report cannot name a context that was deallocated.
      withExtendedLifetime(drawing) {}
    }
  }

  static let actors = HungProgram(
    testDescription: "two actors whose promises wait for each other through variables",
    causes: [#"the owner of Promise<Int> "soup" made at Hang/Actors:1, which is alive and has not settled it"#],
    furtherCauses: [
      #"the owner of Promise<Int> "bread" made at Hang/Actors:2, which is alive and has not settled it"#,
      "the Task of Promise<()> made at Hang/Actors:3, which is running",
      "the Task of Promise<()> made at Hang/Actors:4, which is running",
    ]
  ) { _ in
    actor Cook {
      let dish: Deferred<Int>

      init(_ label: String, line: UInt) { dish = Deferred(label: label, fileID: "Hang/Actors", line: line) }

      func cook(after other: Promise<Int>) async throws { dish.fulfill(try await other.value) }
    }
    let soup = Cook("soup", line: 1)
    let bread = Cook("bread", line: 2)
    let tasks = [
      Promise.task(fileID: "Hang/Actors", line: 3) { try await soup.cook(after: bread.dish.promise) },
      Promise.task(fileID: "Hang/Actors", line: 4) { try await bread.cook(after: soup.dish.promise) },
    ]
    let isReached = {
      [soup, bread].allSatisfy { $0.dish.promise.debugDescription.hasSuffix("a Task that waits for the value") }
    }
    return Hang(promise: soup.dish.promise, isReached: isReached) {
      soup.dish.fulfill(1)
      withExtendedLifetime(tasks) {}
    }
  }

  static let pausedGate = HungProgram(
    testDescription: "a paused gate",
    causes: [#"the ConcurrencyLimit "uploads" made at Hang/Paused:9, with 0 operations inside and 1 waiting, paused"#]
  ) { context in
    let gate = ConcurrencyLimit(2, label: "uploads", fileID: "Hang/Paused", line: 9)
    gate.isPaused = true
    let uploaded = gate.run(on: context, fileID: "Hang/Paused", line: 1) { Promise.fulfilled(1) }
    return Hang(promise: uploaded) { gate.isPaused = false }
  }
}
