import PromiseCore
import TestSupport
import Testing

@Suite("Cancellation through parent and root")
struct AncestorTests {
  let context = ManualContext()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  /// Makes a root with three branches of three links each.
  private func tree() -> (owner: Deferred<Int>, branches: [[Promise<Int>]]) {
    let owner = Deferred<Int>()
    let branches = (0..<3).map { _ in
      (0..<2).reduce(into: [link(owner.promise)]) { branch, _ in branch.append(link(branch[branch.count - 1])) }
    }
    return (owner, branches)
  }

  @Test("Cancelling the root from any leaf settles the whole tree", .rule("4.2", "6.3"), arguments: 0..<3, 0..<3)
  func root(branch: Int, depth: Int) {
    let tree = tree()
    tree.branches[branch][depth].root.cancel(reason: TestError(7))
    for promise in [tree.owner.promise] + tree.branches.joined() {
      #expect(promise.isCancelled && promise.seen == .failed(7))
    }
  }

  @Test(
    "Cancelling the parent settles the promises below it and no others", .rule("4.2", "6.3"), arguments: 0..<3, 1..<3)
  func parent(branch: Int, depth: Int) {
    let tree = tree()
    tree.branches[branch][depth].parent?.cancel()
    #expect(tree.owner.promise.isPending)
    for (index, promises) in tree.branches.enumerated() {
      #expect(promises.map(\.isCancelled) == (0..<3).map { index == branch && $0 >= depth - 1 })
    }
  }

  @Test("Cancelling a leaf touches neither its parent nor its siblings", .rule("4.2"), arguments: 0..<3)
  func leaf(branch: Int) {
    let tree = tree()
    tree.branches[branch][2].cancel()
    let others =
      [tree.owner.promise] + tree.branches[branch][..<2]
      + tree.branches.enumerated().filter { $0.offset != branch }.flatMap(\.element)
    #expect(others.allSatisfy { $0.isPending })
  }

  @Test(
    "Cancelling a settled root reaches the pending promises below it", .rule("4.2", "6.3"), arguments: LinkKind.links)
  func settledRoot(_ kind: LinkKind) {
    let owner = Deferred<Int>()
    let derived = kind.attach(to: owner.promise, on: context, giving: 2) {}
    let below = kind.attach(to: derived, on: context, giving: 2) {}
    owner.settle(kind.handlesValues ? .success(1) : .failure(TestError(1)))
    #expect(below.root === owner.promise)
    below.root.cancel(reason: TestError(7))
    #expect(derived.isCancelled && derived.seen == .failed(7) && below.isCancelled && below.seen == .failed(7))
    #expect(!owner.promise.isCancelled && !owner.promise.isPending)
  }

  @Test("A parent that gives up cancels its other links and gives up its own source", .rule("4.2", "4.4", "6.3"))
  func parentGivesUp() {
    let tree = tree()
    let sibling = link(tree.branches[0][1])
    tree.branches[0][2].parent?.cancel(upstream: true)
    #expect(tree.branches[0].map(\.isCancelled) == [true, true, true] && sibling.isCancelled)
    #expect(tree.owner.promise.isPending)
  }

  @Test("A promise that no link made has no parent and is its own root")
  func roots() {
    let owner = Deferred<Int>()
    let promises = [
      owner.promise, owner.promise.shielded(), Promise(on: context) { $0.fulfill(1) },
      Promise.run(on: context) { 1 }, .fulfilled(1), .rejected(TestError(1)),
    ]
    for promise in promises {
      #expect(promise.parent == nil && promise.root === promise)
    }
  }

  @Test("root and parent may be read after a cancellation", .rule("6.3"), arguments: LinkKind.links)
  func afterCancel(_ kind: LinkKind) {
    let owner = Deferred<Int>()
    let derived = kind.attach(to: owner.promise, on: context, giving: 2) {}
    let below = kind.attach(to: derived, on: context, giving: 2) {}
    derived.cancel()
    #expect(owner.promise.root === owner.promise)
    for promise in [derived, below] {
      #expect(promise.root === promise || promise.root === derived || promise.root === owner.promise)
      promise.root.cancel()
    }
    let late = below.recover(on: context) { _ in 2 }
    #expect(late.parent === below && late.root === below)
  }

  @Test(
    "A cancelled promise retains neither its ancestors nor the promise that it had adopted", .rule("4.4", "6.3"),
    arguments: LinkKind.links)
  func keepsNoAncestor(_ kind: LinkKind) {
    weak var source: Promise<Int>?
    weak var adopted: Promise<Int>?
    let (derived, adopter): (Promise<Int>, Promise<Int>)
    do {
      let (owner, inner) = (Deferred<Int>(), Deferred<Int>())
      (source, adopted) = (owner.promise, inner.promise)
      derived = kind.attach(to: owner.promise, on: context, giving: 2) {}
      adopter = Adopting.then.adopt(inner.promise, on: context).promise
      derived.cancel()
      adopter.cancel()
    }
    context.runUntilIdle()
    #expect(source == nil && adopted == nil)
    #expect(derived.isCancelled && adopter.isCancelled)
  }
}
