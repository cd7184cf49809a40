import PromiseCombinators
import TestSupport
import Testing

// Contains the snippet of Docs/Recipes/WhyIsItPending.md, word for word. `Scripts/check-snippets.py` compares it. The programs
// of its table are in HungProgramTests.

@Suite("The recipe for finding out why a promise is pending")
struct WhyIsItPendingTests {
  @Test("The last line of a printed promise is the summary of the root")
  func lastLine() {
    let context = ManualContext()
    let page = Promise.fulfilled(1).map(on: context) { $0 }.map(on: context) { $0 }
    print(page)  // the promise that should have been settled
    for node in page.waitsFor.flatMap(\.roots) { print(node.summary) }  // the causes alone
    let causes = page.waitsFor.flatMap(\.roots).map(\.summary)
    #expect(causes.count == 1)
    #expect(page.debugDescription.hasSuffix("waits for \(causes.first ?? "none")"))
    #expect(causes.first?.contains("which is queued") == true)
    // A release build does not know the context.
    #if DEBUG
      #expect(causes.first?.hasSuffix("which is queued on a ManualContext") == true)
    #endif
    context.runUntilIdle()
    #expect(page.waitsFor.isEmpty)
  }
}
