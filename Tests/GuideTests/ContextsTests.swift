import Dispatch
import PromiseContexts
import TestSupport
import Testing

// What Docs/Contexts.md shows beside what `ContextsDocumentTests` has.

func countWords(in text: Promise<String>, on context: any ExecutionContext = .pool) -> Promise<Int> {
  text.map(on: context) { $0.split(separator: " ").count }
}

@Suite("The guide to contexts")
struct ContextsTests {
  @Test("row H6: one parameter takes contexts of all kinds")
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

  @Test("row H6: the handler is where the parameter says")
  func there() {
    let one = ManualContext()
    let other = ManualContext()
    let count = countWords(in: .fulfilled("one two"), on: one)
    other.runUntilIdle()
    #expect(count.isPending)
    one.runUntilIdle()
    #expect(count.valueNow == 2)
  }
}
