import Dispatch
import TestSupport
import Testing

// Holds the Swift blocks of Docs/Guides/Contexts.md, word for word. `make lint` compares them.

@MainActor private final class PriceTag {
  let currency = "€"
  var text = ""
}

private final class Entries: @unchecked Sendable {
  // `@unchecked`, because a queue protects the set. The document shows this.
  private var names: Set<String> = []
  func insert(_ name: String) { names.insert(name) }
  func contains(_ name: String) -> Bool { names.contains(name) }
}

final class Loop: ExecutionContext {
  private let jobs = AsyncStream.makeStream(of: Job.self)

  func schedule(_ job: consuming Job) { jobs.continuation.yield(job) }

  func run() async {
    for await job in jobs.stream { job.run() }
  }
}

@Suite("Examples in Docs/Guides/Contexts.md", .bounded) struct ContextsDocumentTests {
  @MainActor
  @Test("A view names the context of its handlers once")
  func view() async throws {
    let price = Promise.fulfilled(12)
    let screen = PriceTag()
    let shown = price.on(.main)
      .map { screen.currency + "\($0)" }  // on the main actor
      .tap { screen.text = $0 }  // on the main actor
      .promise
    #expect(try await shown.value == "€12" && screen.text == "€12")
  }

  @Test("A reader finds the entry that a writer on the same queue has stored", .rule("2.7"))
  func barrier() async throws {
    let entry = Promise.fulfilled("x")
    let entries = Entries()
    let table = DispatchQueue(label: "table", attributes: .concurrent)
    let stored = entry.tap(on: table) { entries.insert($0) }  // alone on the queue
    let found = stored.map(on: .concurrent(table)) { entries.contains($0) }  // beside other readers
    #expect(try await found.value)
  }

  @Test("A custom context runs its handlers")
  func ownContext() async throws {
    let loop = Loop()
    let running = Task { await loop.run() }
    let sum = try await Promise.fulfilled(1).map(on: loop) { $0 + 1 }.value
    #expect(sum == 2)
    running.cancel()
  }
}
