import TestSupport
import Testing

@Suite("Detection of rings", .rule("3.2")) struct RingTests {
  let context = ManualContext()

  @Test("The owner that closes a ring of any size detects it", arguments: [1, 2, 3, 5, 100], [false, true])
  func follows(size: Int, isBackwards: Bool) {
    let owners = (0..<size).map { Deferred<Int>(line: UInt(100 + $0)) }
    for place in 1..<size {
      let index = isBackwards ? size - place : place
      owners[index - 1].follow(owners[index].promise)
    }
    #expect(owners.allSatisfy { $0.promise.isPending })
    owners[size - 1].follow(owners[0].promise)
    // The other promises adopt the rejection of the promise that closed the ring. The error has the site of that
    // promise.
    for owner in owners { #expect(owner.promise.status == .rejected(.cycle(UInt(100 + size - 1)))) }
  }

  @Test("The error of a ring names at most sixteen other promises of the ring, in order")
  func sitesOfRing() throws {
    let owners = (0..<40).map { Deferred<Int>(fileID: "M/F", line: UInt(100 + $0)) }
    for index in 1..<40 { owners[index - 1].follow(owners[index].promise) }
    owners[39].follow(owners[0].promise)
    guard case PromiseError.cycle(_, let ring)? = owners[39].promise.error else { throw TestError() }
    #expect(ring.map(\.line) == (0..<16).map { 138 - $0 })
    let pair = (Deferred<Int>(fileID: "M/F", line: 1), Deferred<Int>(fileID: "M/F", line: 2))
    pair.0.follow(pair.1.promise)
    pair.1.follow(pair.0.promise.map(on: context, fileID: "M/F", line: 3) { $0 })
    #expect(
      pair.1.promise.error.map { "\($0)" }
        == "the promise made at M/F:2 waits for itself, through those made at M/F:1, M/F:3")
    for owner in owners { _ = owner.promise.error }
    _ = pair.0.promise.error
  }

  @Test("A promise being settled no longer waits for another promise, and closes no ring", arguments: [true, false])
  func settlementInProgress(isFollowing: Bool) {
    let first = Deferred<Int>()
    let second = Deferred<Int>()
    if isFollowing { second.follow(first.promise) } else { second.follow(first.promise.map(on: context) { $0 }) }
    // The observer of progress runs before the promise is published.
    second.promise.onProgress(on: CallingContext { [promise = second.promise] in first.follow(promise) }) { _ in }
    second.fulfill(1)
    #expect(first.promise.status == .fulfilled(1))
  }

  @Test("A ring through any of several followed promises is detected", .rule("3.4"), arguments: 0..<3)
  func followsOfSeveral(closing: Int) {
    let outer = Deferred<Int>(line: 99)
    let inner = (0..<3).map { Deferred<Int>(line: UInt(100 + $0)) }
    for owner in inner { outer.follow(owner.promise) }
    inner[closing].follow(outer.promise)
    #expect(inner[closing].promise.status == .rejected(.cycle(UInt(100 + closing))))
    #expect(outer.promise.status == .rejected(.cycle(UInt(100 + closing))))
    for (index, other) in inner.enumerated() where index != closing { #expect(other.promise.isPending) }
  }

  @Test("An owner that follows a promise derived from its own promise closes a ring", arguments: LinkKind.links)
  func throughLinks(_ kind: LinkKind) {
    let deferred = Deferred<Int>(line: 12)
    let derived = kind.attach(to: deferred.promise, on: context, giving: 2) {}
    let further = kind.attach(to: derived, on: context, giving: 2) {}
    deferred.follow(further)
    #expect(deferred.promise.status == .rejected(.cycle(12)))
    context.runUntilIdle()
    #expect(!derived.isPending)
    #expect(!further.isPending)
  }

  @Test("A ring is detected through an unretained promise that the closing call takes out", arguments: [0, 1, 2])
  func throughUnheld(place: Int) {
    let start = Deferred<Int>()
    let owner = Deferred<Int>(line: 19)
    var followers = [Deferred<Int>(), Deferred<Int>()]
    followers.insert(owner, at: place)
    do {
      let unheld = start.promise.then(on: context) { [promise = owner.promise] _ in promise }
      for follower in followers { follower.follow(unheld) }
    }
    start.fulfill(1)
    context.runUntilIdle()
    for follower in followers { #expect(follower.promise.failure?.code == .cycle) }
    #expect(!owner.fulfill(1))
  }

  @Test("Two adoptions that wait for each other are detected as a ring")
  func twoAdoptions() {
    let starts = [Deferred<Int>(), Deferred<Int>()]
    let box = Locked<[Promise<Int>]>([])
    let first = starts[0].promise.then(on: context, line: 15) { _ in box.withLock { $0[1] } }
    let second = starts[1].promise.then(on: context, line: 16) { _ in box.withLock { $0[0] } }
    box.withLock { $0 = [first, second] }
    starts[0].fulfill(1)
    context.runUntilIdle()
    #expect(first.isPending)
    #expect(second.isPending)
    starts[1].fulfill(1)
    context.runUntilIdle()
    #expect(first.status == .rejected(.cycle(16)))
    #expect(second.status == .rejected(.cycle(16)))
    box.withLock { $0 = [] }
  }

  @Test("A promise whose ring was broken no longer waits for the other promise that it followed", .rule("4.4"))
  func leavesOthers() {
    let owner = Deferred<Int>()
    let other = Deferred<Int>()
    owner.follow(other.promise)
    owner.follow(owner.promise)
    #expect(owner.promise.isRejected)
    #expect(other.promise.isPending)
    other.promise.map(on: ManualContext()) { $0 }.cancel(upstream: true)
    #expect(other.promise.isCancelled)
  }
}
