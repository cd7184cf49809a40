import PromiseCore
import TestSupport
import Testing

/// A cancellation finds pending promises below any number of settled promises, and in a loop (rules 4.2 and 6.4).
@Suite("Cancelling through long lines of settled promises") struct ThroughSettledLinesTests {
  private let context = ManualContext()

  @Test(
    "A long line of settled adopters is cancelled from its first promise only, and released in a loop",
    .rule("4.0", "4.2", "6.4"), .slow)
  func longLine() {
    var held: [Promise<Int>] = [.fulfilled(0)]
    var tail = held[0]
    for index in 1...20_000 {
      let inner = Promise.fulfilled(index)
      held.append(inner)
      tail = tail.then(on: context) { _ in inner }
    }
    while context.count > 0, tail.isPending { context.step() }
    let below = tail.map(on: context) { $0 }
    held[10_000].cancel()
    #expect(below.isPending)
    held[0].cancel()
    #expect(below.isCancelled)
    held = []
  }

  @Test(
    "A link below a long line of unretained adopters is below the first promise, not below the adopted promises",
    .rule("4.0", "4.2"), arguments: [nil, 0, 1, 20, 38, 39])
  func longLineOfUnheld(adopted: Int?) {
    let top = Promise.fulfilled(0)
    let owners = (0..<40).map { _ in Deferred<Int>() }
    var tail = top
    for owner in owners { tail = tail.then(on: context) { [promise = owner.promise] _ in promise } }
    let below = (consume tail).map(on: context) { $0 }
    for owner in owners {
      context.step()
      owner.fulfill(1)
    }
    #expect(below.isPending)
    if let adopted { owners[adopted].promise.cancel() } else { top.cancel() }
    #expect(below.isCancelled == (adopted == nil))
  }

  @Test(
    "Cancelling the first promise of a long line reaches the end after the promises between were released",
    .rule("4.2", "6.4"),
    .slow)
  func goneFromBelow() {
    let top = Promise.fulfilled(0)
    var line = [top]
    for _ in 0..<50_000 {
      line.append(line[line.count - 1].map(on: context) { $0 })
      context.step()
    }
    let last = line.removeLast()
    while line.count > 1 { line.removeLast() }
    let below = last.map(on: context) { $0 }
    top.cancel()
    #expect(below.isCancelled)
  }
}
