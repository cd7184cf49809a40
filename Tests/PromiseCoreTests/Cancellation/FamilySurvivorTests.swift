import TestSupport
import Testing

/// Details of the family tree that no other test covers. Mutations of the library would break them unnoticed.
@Suite("The family tree: details", .bounded) struct FamilySurvivorTests {
  private let context = ManualContext()
  private let settled = Promise.fulfilled(0)

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  /// Walks to the end. Returns the promises that the walk found, and the number of its pieces.
  private func tour(below promise: Promise<Int>) -> (found: [AnyPromise], pieces: Int) {
    let walk = TourWalk(below: promise)
    var pieces = 1
    while !walk.walkNextPiece() { pieces += 1 }
    return (walk.found, pieces)
  }

  // MARK: No promise above is retained

  /// Makes a link that waits for a settled, unretained promise without a node.
  private func waiting(_ attach: (Promise<Int>) -> Promise<Int>) -> Promise<Int> {
    let owner = Deferred<Int>()
    let last = attach(link(owner.promise))
    owner.fulfill(1)
    return last
  }

  /// The state of the promise below the unretained source.
  enum State: CaseIterable { case waiting, settled, adopting }

  @Test(
    "Cancelling an unretained source reached through `parent` reaches a waiting handler, and links behind one that ran",
    .rule("4.2", "6.1", "6.3"), arguments: State.allCases)
  func belowUnheld(_ state: State) throws {
    let inner = Deferred<Int>()
    let last = waiting { state == .adopting ? $0.then(on: context) { _ in inner.promise } : link($0) }
    context.step()
    let parent = try #require(last.parent)
    if state != .waiting { context.step() }
    #expect(last.isPending == (state != .settled))
    let below = link(last)
    parent.cancel()
    #expect(last.isCancelled == (state != .settled) && below.isCancelled)
    #expect(inner.promise.isCancelled == (state == .adopting))
  }

  @Test("A walk below a source reached through `parent` does not find a handler that has ended", .rule("4.2", "6.3"))
  func endedBelowUnheld() throws {
    let log = Log<Promise<Int>>()
    let last = waiting {
      $0.map(on: context) { value in
        log.entries.first?.cancel()
        return value
      }
    }
    log.append(last)
    context.step()
    let parent = try #require(last.parent)
    context.runUntilIdle()
    #expect(last.isCancelled)
    #expect(try tour(below: #require(parent as? Promise<Int>)).found.isEmpty)
    parent.cancel()
  }

  @Test("A source reached through `parent` forgets a handler that has ended", .rule("6.3"))
  func endedUnheld() throws {
    var last: Promise<Int>? = waiting { link($0) }
    context.step()
    let parent = try #require(last?.parent)
    last = nil
    context.runUntilIdle()
    // A new link usually gets the memory of the link that has ended.
    let other = Deferred<Int>()
    let others = (0..<50).map { _ in link(other.promise) }
    parent.cancel()
    #expect(others.allSatisfy { $0.isPending })
  }

  // MARK: Promises settled by their links

  @Test("A walk does not find a cancelled promise whose handler has not ended", .rule("4.2"))
  func closed() {
    let derived = link(settled)
    let other = link(settled)
    derived.cancel()
    #expect(tour(below: settled).found.map(ObjectIdentifier.init) == [ObjectIdentifier(other)])
    context.runUntilIdle()
    #expect(tour(below: settled).found.isEmpty)
  }

  @Test("A promise has no parent while its link settles it", .rule("6.3"))
  func parentOfSettling() {
    let derived = settled.map(on: context, weight: 1) { $0 }
    let parents = Log<AnyPromise?>()
    // The observer of progress runs when the promise has been claimed and is not published yet.
    derived.onProgress(on: CallingContext { parents.append(derived.parent) }) { _ in }
    let before = parents.entries.count
    context.runUntilIdle()
    let meanwhile = parents.entries[before...]
    #expect(!meanwhile.isEmpty && meanwhile.allSatisfy { $0 == nil })
  }

  // MARK: Unneeded nodes

  @Test("A line of released promises leaves no nodes behind", .rule("6.1"))
  func releasedLine() {
    var line = [link(settled)]
    for _ in 0..<600 {
      context.runUntilIdle()
      line.append(link(line[line.count - 1]))
    }
    #expect(tour(below: settled).pieces > 1)
    let last = line[line.count - 1]
    line = []
    #expect(tour(below: settled).pieces == 1)
    settled.cancel()
    #expect(last.isCancelled)
  }

  @Test("Branches that are released after the trunk between them leave no nodes behind", .rule("6.1"))
  func releasedBranches() {
    var trunk = [link(settled)]
    var branches: [Promise<Int>] = []
    for _ in 0..<300 {
      context.runUntilIdle()
      branches.append(link(trunk[trunk.count - 1]))
      trunk.append(link(trunk[trunk.count - 1]))
    }
    let last = trunk[trunk.count - 1]
    // Each node of the trunk has two nodes below it, so it stays.
    trunk = []
    #expect(tour(below: settled).pieces > 1)
    branches = []
    #expect(tour(below: settled).pieces == 1)
    settled.cancel()
    #expect(last.isCancelled)
  }
}
