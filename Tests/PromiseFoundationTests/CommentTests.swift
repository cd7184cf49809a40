import PromiseFoundation
import Testing

/// Compiles and runs the code in the comments of PromiseFoundation.
@Suite("Documents: comments of PromiseFoundation", .bounded) struct CommentTests {
  @Test("A thread works as the comments show")
  func threads() async throws {
    @Sendable func layout(_ size: Int) -> Int { size * 2 }
    let picture = Promise.fulfilled(21)
    let drawing = ThreadContext(named: "drawing")
    let shown = picture.map(on: drawing) { layout($0) }
    #expect(try await shown.value == 42)
  }

  @Test("A Progress is added to another one as the comments show")
  func progress() async throws {
    let total = Progress(totalUnitCount: 1)
    let download = Promise.fulfilled(1)
    total.addChild(.following(download, on: .queue(.main)), withPendingUnitCount: 1)
    // This job runs on the main queue after the job of the observer.
    _ = try await Promise.run(on: .queue(.main)) {}.value
    #expect(total.fractionCompleted == 1)
  }
}
