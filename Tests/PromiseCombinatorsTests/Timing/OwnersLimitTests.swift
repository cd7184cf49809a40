import PromiseCombinators
import TestSupport
import Testing

@Suite("Limits of owners", .leavingNothing) struct OwnersLimitTests {
  let world = TestWorld()
  let source = Deferred<Int>()

  @Test(
    "An expired limit of an owner settles everything, then runs the owner's hooks and those of the followed promise",
    .rule("3.1", "4.5", "4.6"), arguments: 0..<3)
  func expired(length: Int) {
    let owner = Deferred<Int>()
    let work = StoppableWork()
    let other = StoppableWork()
    let log = Log<String>()
    let promise = owner.promise
    let followed = work.promise
    let seen: @Sendable (String, any Error) -> Void = { name, error in
      let code = PromiseError.Code(error)?.description ?? "\(error)"
      log.append("\(name) \(code) \(promise.isPending) \(followed.isPending)")
    }
    owner.onCancel(on: .atOnce) { seen("owner", $0) }
    work.deferred.onCancel(on: .atOnce) { seen("work", $0) }
    owner.follow((0..<length).reduce(work.promise) { promise, _ in promise.map(on: world.main) { $0 } })
    let recovered = owner.promise.recover(on: world.main) { _ in 5 }
    world.run { owner.timeout(.seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(owner.promise.failure?.code == .timedOut)
    #expect(!owner.promise.isCancelled)
    #expect(work.isStopped)
    #expect(log.entries == ["owner timedOut false false", "work timedOut false false"])
    #expect(!owner.fulfill(1))
    #expect(!owner.follow(other.promise))
    #expect(other.goesOn)
    #expect(!owner.follow(other.promise.map(on: world.main) { $0 }))
    #expect(other.goesOn)
    world.runUntilIdle()
    #expect(recovered.state.value == 5, "a time limit is an ordinary rejection for the links")
  }

  @Test("A limit keeps no owner, and neither timer nor hook of a settled promise", .rule("4.5", "4.9", "6.2"))
  func ownersLimitInTime() {
    let work = StoppableWork()
    var owner: Deferred<Int>? = Deferred()
    let promise = owner?.promise
    world.run {
      work.deferred.timeout(.seconds(1))
      owner?.timeout(.seconds(1))
    }
    work.deferred.fulfill(1)
    #expect(world.armed == 1)
    owner = nil
    #expect(promise?.failure?.code == .broken)
    #expect(world.armed == 0)
    world.advance(by: .seconds(2))
    #expect(work.promise.state.value == 1)
    #expect(work.reasons.isEmpty)
  }

  @Test("The shortest of several limits of an owner rejects its promise once, and the other timers are cancelled")
  func owners() throws {
    try TestWorld.run { world in
      let owner = Deferred<Int>()
      let log = Log<String>()
      for seconds in [3, 1, 2] { owner.timeout(.seconds(seconds), fileID: "Here", line: UInt(seconds)) }
      owner.promise.onRejected(on: world.main) { log.append("\($0)") }
      world.advance(by: .seconds(1))
      world.expect(log.entries.count == 1 && owner.promise.isRejected && !owner.promise.isCancelled)
      world.expect(world.armed == 0, "the other limits are not needed any more")
      world.expect(owner.promise.failure == .timedOut(1))
    }
  }

  @Test("Limits of an owner and of its promise report no second settlement when they expire together", .rule("1.3"))
  func lateOwner() {
    let owner = world.run { Deferred<Int>() }
    world.run {
      owner.timeout(.seconds(1))
      owner.timeout(.seconds(1))
      owner.promise.timeout(.seconds(1)).timeout(.seconds(1)).onRejected(on: world.main) { _ in }
    }
    world.advance(by: .seconds(5))
    #expect(owner.promise.isRejected)
    #expect(throws: Never.self) { try world.verify(.secondSettlements) }
  }

  @Test("An owner's expired limit leaves the promise that it follows to the other consumers")
  func following() {
    let (owner, followed) = world.run { (Deferred<Int>(), Deferred<Int>()) }
    let other = world.run { followed.promise.map(on: world.main) { $0 } }
    owner.follow(followed.promise)
    world.run { owner.timeout(.seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(owner.promise.failure?.code == .timedOut)
    #expect(followed.promise.isPending)
    #expect(other.isPending)
    followed.fulfill(1)
    #expect(owner.promise.failure?.code == .timedOut)
    #expect(other.isPending)
  }

  @Test("The limit of an owner does not keep it alive, and gives up the followed promise", .rule("4.6", "4.9", "6.2"))
  func followingGone() {
    let promise: Promise<Int> = world.run {
      let owner = Deferred<Int>()
      owner.follow(source.promise)
      owner.timeout(.seconds(1))
      return owner.promise
    }
    #expect(promise.isPending)
    #expect(world.armed == 1)
    world.advance(by: .seconds(1))
    #expect(promise.failure?.code == .timedOut)
    #expect(source.promise.isCancelled)
  }

  @Test("In any order, either the owner or its limit settles the promise, and the owner is told which")
  func everyOrderOfOwner() throws {
    let ends = Log<Bool>()
    _ = try TestWorld.exploreAll(checking: [.pendingPromises, .unhandledRejections, .timers, .waiting, .objects]) {
      world in
      let owner = Deferred<Int>()
      let promise = owner.promise
      promise.onRejected(on: world.main) { _ in }
      owner.timeout(.zero)
      world.sometime("answer") {
        let isFirst = owner.fulfill(1)
        ends.append(isFirst)
        world.expect(isFirst == promise.isFulfilled)
      }
      world.runUntilIdle()
      world.expect(promise.isFulfilled || promise.failure?.code == .timedOut)
    }
    #expect(Set(ends.entries) == [false, true])
  }
}
