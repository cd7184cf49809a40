import Dispatch
import PromiseContexts
import TestSupport
import Testing

// Contains the snippets of Docs/Guides/Contexts.md that `ContextsDocumentTests` does not contain.

func countWords(in text: Promise<String>, on context: any ExecutionContext = .pool) -> Promise<Int> {
  text.map(on: context) { $0.split(separator: " ").count }
}

private struct TookTooLong: Error {}

@Suite("The guide to contexts")
struct ContextsTests {
  @Test("One parameter takes contexts of all kinds")
  func oneParameter() async throws {
    let queue = DispatchQueue(label: "words", attributes: .concurrent)
    let (executor, manual) = (ManualExecutor(), ManualContext())
    let kinds: [any ExecutionContext] = [
      .pool, queue, .concurrent(queue), .global(), .task(priority: .low), .executor(executor), manual,
    ]
    for context in kinds {
      let count = countWords(in: .fulfilled("one two three"), on: context)
      executor.runUntilIdle()
      manual.runUntilIdle()
      #expect(try await count.value == 3)
    }
  }

  @Test("The handler runs on the context that the parameter names")
  func there() {
    let one = ManualContext()
    let other = ManualContext()
    let count = countWords(in: .fulfilled("one two"), on: one)
    other.runUntilIdle()
    #expect(count.isPending)
    one.runUntilIdle()
    #expect(count.valueNow == 2)
  }

  @Test("The timer of an owner ends with its promise", .rule("4.5", "4.9"), arguments: [true, false])
  func timer(_ comesInTime: Bool) throws {
    try TestWorld.run { world in
      let timers = world.clock
      let upload = Deferred<Int>()
      let timer = timers.schedule(after: .seconds(30)) { upload.reject(TookTooLong()) }
      upload.onEnd { _ in timer.cancel() }
      if comesInTime { upload.fulfill(1) }
      world.advance(by: comesInTime ? .zero : .seconds(30))
      #expect(upload.promise.isFulfilled == comesInTime && (upload.promise.errorNow is TookTooLong) != comesInTime)
      #expect(!timer.cancel())
    }
  }

  @Test("A hook that cancels a timer does not keep the work running", .rule("4.0", "4.5"))
  func timerOfCancelled() throws {
    try TestWorld.run { world in
      let upload = Deferred<Int>()
      let timer = world.clock.schedule(after: .seconds(30)) { upload.reject(TookTooLong()) }
      upload.onEnd { _ in timer.cancel() }
      upload.promise.map { $0 }.cancel(upstream: true)
      world.runUntilIdle()
      #expect(upload.promise.isCancelled && !timer.cancel())
    }
  }

  @Test("Actions due together run before the handlers of the first action, which can no longer stop the others")
  func dueTogether() throws {
    try TestWorld.run(checking: .running) { world in
      let (first, second) = (Deferred<Int>(), Deferred<Int>())
      world.clock.schedule(after: .seconds(5)) { first.reject(TookTooLong()) }
      let timer = world.clock.schedule(after: .seconds(5)) { second.reject(TookTooLong()) }
      let stopped = Log<Bool>()
      first.promise.onRejected { _ in stopped.append(timer.cancel()) }
      world.advance(by: .seconds(5))
      #expect(second.promise.errorNow is TookTooLong && stopped.entries == [false])
    }
  }
}
