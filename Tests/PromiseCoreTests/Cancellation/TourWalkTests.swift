import TestSupport
import Testing

@Suite("The family tree: walks in pieces", .bounded, .rule("4.2")) struct TourWalkTests {
  private let context = ManualContext()
  private let settled = Promise.fulfilled(0)

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  private func isSame(_ found: [AnyPromise], _ expected: [AnyPromise]) -> Bool {
    found.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init)
  }

  /// Walks to the end. Returns the promises that the walk found, and how many of them each piece found.
  private func pieces(below promise: Promise<Int>, betweenThem meanwhile: (Int) -> Void = { _ in }) throws -> (
    found: [AnyPromise], counts: [Int]
  ) {
    let walk = TourWalk(below: promise)
    var counts: [Int] = []
    var isAtEnd = false
    while !isAtEnd {
      let before = walk.found.count
      isAtEnd = walk.walkNextPiece()
      counts.append(walk.found.count - before)
      if !isAtEnd { meanwhile(counts.count) }
    }
    return (walk.found, counts)
  }

  @Test(
    "A walk in pieces of at most 256 promises finds them all, and a cancel reaches them",
    arguments: [2, 255, 256, 257, 1_000])
  func wide(_ count: Int) throws {
    let children = (0..<count).map { _ in link(settled) }
    let (found, counts) = try pieces(below: settled)
    #expect(isSame(found, children))
    #expect(counts.allSatisfy { $0 <= TourWalk.longest })
    #expect(TourWalk.longest == 256)
    settled.cancel()
    #expect(children.allSatisfy { $0.isCancelled })
  }

  @Test("A walk finds the pending promise at the end of a long line of settled promises", arguments: [100, 1_000])
  func deep(_ count: Int) throws {
    let line = line(below: settled, count)
    let (found, _) = try pieces(below: settled)
    #expect(found.count == 1)
    #expect(found.last === line.last)
  }

  @Test("A walk finds the remaining promises while promises that it has passed are released")
  func releasingBehind() throws {
    var children = (0..<600).map { _ in link(settled) }
    let last = children[599]
    let (found, _) = try pieces(below: settled) { piece in
      if piece == 1 {
        for child in children[..<200] { child.cancel() }
        children.removeFirst(200)
      }
    }
    #expect(Set(found.map(ObjectIdentifier.init)).isSuperset(of: children.map(ObjectIdentifier.init)))
    #expect(found.last === last)
  }

  @Test("A walk keeps its place when the promise above its cursor is released")
  func releasingAbove() throws {
    var branches = (0..<3).map { _ in link(settled) }
    context.runUntilIdle()
    // The first piece ends among the children of the first branch. Later, the last child takes the place of its parent.
    var inner = (0..<300).map { _ in link(branches[0]) }
    let outer = branches[1...].flatMap { branch in (0..<300).map { _ in link(branch) } }
    let (found, _) = try pieces(below: settled) { piece in
      guard piece == 1 else { return }
      branches.removeFirst()
      for child in inner[1...] { child.cancel() }
      inner.removeLast(299)
      context.runUntilIdle()
    }
    let expected = Set(outer.filter { $0.isPending }.map(ObjectIdentifier.init))
    #expect(Set(found.map(ObjectIdentifier.init)).isSuperset(of: expected))
  }

  @Test("A walk below a branch never leaves the branch, whatever is released meanwhile")
  func bounds() throws {
    let branch = link(settled)
    var aunt: Promise<Int>? = link(settled)
    context.runUntilIdle()
    let cousins = (0..<300).map { _ in link(aunt ?? settled) }
    var leaves = line(below: branch, 600)
    let kept = leaves[599]
    let (found, _) = try pieces(below: branch) { _ in
      aunt = nil
      leaves.removeAll()
    }
    #expect(found.last === kept)
    #expect(Set(cousins.map(ObjectIdentifier.init)).isDisjoint(with: found.map(ObjectIdentifier.init)))
  }

  /// Makes a line of retained promises. All but the last are settled.
  private func line(below promise: Promise<Int>, _ count: Int) -> [Promise<Int>] {
    var line = [link(promise)]
    while line.count < count {
      context.runUntilIdle()
      line.append(link(line[line.count - 1]))
    }
    return line
  }

  @Test("Interleaved walks do not disturb one another", arguments: [1, 2, 3])
  func severalWalks(_ count: Int) throws {
    let children = (0..<1_000).map { _ in link(settled) }
    let walks = (0..<count).map { _ in TourWalk(below: settled) }
    var pending = Array(walks.indices)
    while !pending.isEmpty { pending = pending.reversed().filter { !walks[$0].walkNextPiece() } }
    for walk in walks { #expect(isSame(walk.found, children)) }
  }

  @Test("A walk leaves out promises that are attached after its first piece", .rule("4.3"))
  func attachedMeanwhile() throws {
    let children = (0..<600).map { _ in link(settled) }
    let attached = Log<Promise<Int>>()
    let (found, _) = try pieces(below: settled) { _ in attached.append(link(settled)) }
    #expect(isSame(found, children))
    #expect(attached.entries.count > 1)
  }

  @Test("A walk does not find a cancelled promise whose handler has not ended", .rule("4.2"))
  func closed() throws {
    let derived = link(settled)
    let other = link(settled)
    derived.cancel()
    #expect(try isSame(pieces(below: settled).found, [other]))
    context.runUntilIdle()
    #expect(try pieces(below: settled).found.isEmpty)
  }

  @Test(
    "Released promises between a promise and the last one below it leave no marks", .rule("6.1"),
    arguments: [false, true])
  func released(withBranches: Bool) throws {
    var line = line(below: settled, 600)
    var branches = withBranches ? line.map(link) : []
    context.runUntilIdle()
    let last = link(line[599])
    #expect(try pieces(below: settled).counts.count > 1)
    line = []
    // The branches stay, and so do their marks.
    #expect(try (pieces(below: settled).counts.count > 1) == !branches.isEmpty)
    branches = []
    #expect(try pieces(below: settled).counts.count == 1)
    settled.cancel()
    #expect(last.isCancelled)
  }
}
