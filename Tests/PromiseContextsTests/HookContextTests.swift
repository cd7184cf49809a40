import Dispatch
import TestSupport
import Testing

private let mainKey: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

/// Whether the calling code runs on the main queue. The thread cannot tell, because on Linux worker threads serve the
/// main queue once `main` waits in `dispatchMain`.
private var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainKey) == true }

@Suite("Hooks of owners on the main actor and on other actors") struct HookContextTests {
  @MainActor private final class Screen {
    var texts: [String] = []
  }

  private actor Store {
    private(set) var texts: [String] = []
    func append(_ text: String) { texts.append(text) }
  }

  @Test("Hooks on the main actor can access its state", .rule("4.5", "8.1"))
  @MainActor func main() async {
    let screen = Screen()
    let cancelled = Deferred<Int>()
    let fulfilled = Deferred<Int>()
    for owner in [cancelled, fulfilled] {
      owner.onCancel(on: .main) { _ in screen.texts.append("cancelled") }
      owner.onEnd(on: .main) { screen.texts.append("ended, \((try? $0.get()) ?? 0)") }
    }
    cancelled.promise.cancel()
    fulfilled.fulfill(1)
    #expect(screen.texts.isEmpty)
    #expect(await eventually { screen.texts == ["cancelled", "ended, 0", "ended, 1"] })
  }

  @Test("In a world, hooks on the main actor are steps of its main context", .rule("4.5"))
  @MainActor func mainOfWorld() throws {
    try TestWorld.run { world in
      let screen = Screen()
      let owner = Deferred<Int>()
      owner.onEnd(on: .main) { _ in screen.texts.append("ended") }
      owner.promise.cancel()
      #expect(screen.texts.isEmpty)
      world.runUntilIdle()
      #expect(screen.texts == ["ended"])
    }
  }

  @Test("A hook on the main actor that a world drops runs on the main queue", .rule("4.5", "8.1"))
  func droppedByWorld() async {
    let isMain = Log<Bool>()
    do {
      let world = TestWorld()
      world.run {
        let owner = Deferred<Int>()
        owner.onCancel(on: .main) { _ in isMain.append(isOnMainQueue) }
        owner.promise.cancel()
      }
    }
    #expect(await eventually { isMain.entries == [true] })
  }

  @Test("Hooks isolated to an actor receive the actor", .rule("4.5", "8.1"))
  func actor() async {
    let store = Store()
    let owner = Deferred<Int>()
    owner.onCancel(isolatedTo: store) { store, _ in store.append("cancelled") }
    owner.onEnd(isolatedTo: store) { store, _ in store.append("ended") }
    owner.promise.cancel()
    var texts: [String] = []
    let limit = HangLimit()
    while texts.count < 2, !limit.isReached {
      await Task.yield()
      texts = await store.texts
    }
    #expect(texts == ["cancelled", "ended"])
  }

  @Test("Without a world, hooks run on the pool", .rule("4.5"))
  func pool() async {
    let owner = Deferred<Int>()
    let isDone = Log<Bool>()
    owner.promise.bound(to: CancelBag())
    owner.onEnd { _ in isDone.append(true) }
    let work = Deferred<Int>()
    work.onCancel { _ in isDone.append(DetachedContext.pool is PoolContext) }
    work.promise.bound(to: CancelBag())
    #expect(await eventually { isDone.entries == [true, true] })
  }
}
