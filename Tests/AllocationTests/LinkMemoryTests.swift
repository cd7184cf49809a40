import Dispatch
import PromiseContexts
import TestSupport
import Testing

extension MemoryTests {
  /// What links take: M2 and its relatives. Each list has the bytes asked for, smallest block first.
  ///
  /// The blocks that come again and again:
  /// - 164: the `Entry`, which is a link with its promise, or an observer: the fields of a promise 72 (see
  ///   `PromiseMemoryTests`), next 8, previous 8, source 8, enter 16, context 16, body 32, traits 4.
  /// - 200: a `ForkedEntry`, with a second body 32. The body of an entry ends at 164, so it begins at 168.
  /// - 176: a `Follower` or an `OwnerMaker`, with the promise 8 that it settles.
  /// - 25: the job of an entry on a context that gets a `Job`: header 16, entry 8, flag 1. The pool, the queues and
  ///   other contexts of PromiseContexts take the entry itself. Those of clients get a `Job`, and so do a few of the
  ///   library's, such as `InlineContext` and `.executor(_:)`.
  /// - 24: the context of a handler that captures an `Int`: header 16, number 8. The body is that handler, and a
  ///   function beside it that captures nothing: no more blocks. A handler that captures nothing is a constant.
  /// - 24, 32: the *function*, where it is made in generic code and so keeps one type or two. 40, 48: the same, where
  ///   it keeps the handler, too.
  /// - 32 is also the box of an error without fields (header 16, type 8, witness table 8), and the *record* that the
  ///   runtime makes for an object of which there are weak references.
  /// - 152: the `SideTable`: header 16, late entries 16, hooks 8, follows 8, combination 8, progress 40, weight 8,
  ///   client promise 8, two flags 2 (padded to 8), scope 8, ring report 8, timer or Task 8, notes 8.
  /// - An array: header 32, elements. 88: one hook of 56 (action 17, padded to 24, context 16, fallback 16). 96: one
  ///   `Settled` of 64 (promise 8, list of entries 16, leftovers 40), in the queue of what a call has settled and must
  ///   fire.
  @Suite("Allocations of links")
  struct LinkMemoryTests {
    /// Pending as long as the test runs.
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }
    private let queue = DispatchQueue(label: "links")
    /// What a handler captures; not known to the optimiser.
    private let number = Int.random(in: 1...2)

    @Test("map allocates one block for its link")
    func map() {
      let (_, allocations) = Allocations.counted { promise.map(on: queue) { $0 &+ 1 } }
      // The link.
      #expect(allocations.requested == [164])
      #expect(allocations.usableBytes == 168)
    }

    @Test("map allocates a second block for a handler that captures")
    func mapCapturing() {
      let (_, allocations) = Allocations.counted { [number] in promise.map(on: queue) { $0 &+ number } }
      // The handler's own context, and the link.
      #expect(allocations.requested == [24, 164])
      #expect(allocations.usableBytes == 192)
    }

    @Test("A link takes at most 3 allocations and 200 bytes")
    func goal() {
      let (_, plain) = Allocations.counted { promise.map(on: queue) { $0 &+ 1 } }
      let (_, capturing) = Allocations.counted { [number] in promise.map(on: queue) { $0 &+ number } }
      #expect(plain.count <= 3)
      #expect(plain.usableBytes <= 200)
      // A handler that captures brings a context of its own.
      #expect(capturing.count <= 3)
      #expect(capturing.usableBytes <= 200)
    }

    @Test("then allocates one block for its link, and a second for a handler that captures")
    func then() {
      let (_, allocations) = Allocations.counted { promise.then(on: queue) { .fulfilled($0) } }
      // As map: a link that adopts has no more fields.
      #expect(allocations.requested == [164])
      let (_, capturing) = Allocations.counted { [number] in promise.then(on: queue) { .fulfilled($0 &+ number) } }
      // And the handler's own context.
      #expect(capturing.requested == [24, 164])
    }

    @Test("tap allocates one block for its link")
    func tap() {
      let (_, allocations) = Allocations.counted { promise.tap(on: queue) { _ in } }
      #expect(allocations.requested == [164])
    }

    @Test("catch allocates one block for its link, with or without an error type")
    func `catch`() {
      let (_, all) = Allocations.counted { promise.catch(on: queue) { _ in } }
      #expect(all.requested == [164])
      let (_, typed) = Allocations.counted { promise.catch(only: CancellationError.self, on: queue) { _ in } }
      #expect(typed.requested == [164])
    }

    @Test("recover and rescue allocate one block for their link")
    func recover() {
      // As map and then.
      let (_, recover) = Allocations.counted { promise.recover(on: queue) { _ in 1 } }
      #expect(recover.requested == [164])
      let (_, typed) = Allocations.counted { promise.recover(from: CancellationError.self, on: queue) { _ in 1 } }
      #expect(typed.requested == [164])
      let (_, rescue) = Allocations.counted { promise.rescue(on: queue) { _ in .fulfilled(1) } }
      #expect(rescue.requested == [164])
      let (_, capturing) = Allocations.counted { [number] in promise.rescue(on: queue) { _ in .fulfilled(number) } }
      #expect(capturing.requested == [24, 164])
    }

    @Test("always allocates one block for its link")
    func always() {
      let (_, allocations) = Allocations.counted { promise.always(on: queue) { _ in } }
      #expect(allocations.requested == [164])
    }

    @Test("validate and compactMap allocate a wrapper and a link, and mapError only a link")
    func composed() {
      // The wrapper that holds the handler, the creation site and, for `validate`, the message (48, 40), and the link.
      let (_, validate) = Allocations.counted { promise.validate(on: queue) { $0 > 0 } }
      #expect(validate.requested == [48, 164])
      let (_, compactMap) = Allocations.counted { promise.compactMap(on: queue) { $0 } }
      #expect(compactMap.requested == [40, 164])
      // As `recover`: the wrapper of a handler that captures nothing is folded away.
      let (_, mapError) = Allocations.counted { promise.mapError(on: queue) { $0 } }
      #expect(mapError.requested == [164])
    }

    @Test("map and then with both handlers allocate one block for their link")
    func bothHandlers() {
      let (_, map) = Allocations.counted { promise.map(on: queue, fulfilled: { $0 }, rejected: { _ in 0 }) }
      // The `ForkedEntry`.
      #expect(map.requested == [200])
      let (_, then) = Allocations.counted {
        promise.then(on: queue, fulfilled: { .fulfilled($0) }, rejected: { _ in .fulfilled(0) })
      }
      #expect(then.requested == [200])
    }

    @Test("asVoid has no handler and allocates one block for its link")
    func asVoid() {
      let (_, allocations) = Allocations.counted { promise.asVoid() }
      // The link, which is a `Promise<Void>`.
      #expect(allocations.requested == [164])
    }

    @Test("An observer takes one allocation, as a link does")
    func observers() {
      // An observer is an entry whose promise nobody sees.
      let (_, fulfilled) = Allocations.counted { promise.onFulfilled(on: queue) { _ in } }
      #expect(fulfilled.requested == [164])
      let (_, rejected) = Allocations.counted { promise.onRejected(on: queue) { _ in } }
      #expect(rejected.requested == [164])
      // A handler that captures costs its own context.
      let (_, capturing) = Allocations.counted { [number] in promise.onRejected(on: queue) { _ in blackHole(number) } }
      #expect(capturing.requested == [24, 164])
      let (_, settled) = Allocations.counted { promise.onSettled(on: queue) { _ in } }
      #expect(settled.requested == [164])
    }

    @Test("Following another promise takes 3 allocations", .rule("3.1"))
    func follow() {
      let (follows, allocations) = Allocations.counted(of: Deferred<Int>()) { $0.follow(promise) }
      #expect(follows)
      // The `Follower` 176, in a list 40, in the side table 152 of the promise that follows.
      #expect(allocations.requested == [40, 152, 176])
    }
  }
}
