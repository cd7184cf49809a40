import Dispatch
import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations of links. Each expected list contains the requested sizes in bytes, in ascending order.
  ///
  /// In comments, the size of a block stands in parentheses, with the sizes of its parts where they help. These blocks
  /// occur in many lists:
  ///
  /// - 166: the `Entry`, which is a link with its promise, or an observer: the fields of a promise 72 (see
  ///   `PromiseMemoryTests`), next 8, previous 8, source 8, enter 16, context 16, body 32, traits 4.
  /// - 200: a `ForkedEntry`, with a second body 32. The body of an entry ends at 166, so the second body begins at 168.
  /// - 176: a `Follower` or an `OwnerMaker`, with a reference to the promise that it settles 8.
  /// - 25: the job of an entry on a context that gets a `Job`: header 16, entry 8, flag 1. The pool, the queues and
  ///   other contexts of PromiseContexts take the entry itself. Contexts of clients get a `Job`, and so do a few
  ///   contexts of the library, such as `InlineContext` and `.executor(_:)`.
  /// - 24: the context of a handler that captures an `Int`: header 16, number 8. The body consists of that handler and
  ///   a function that captures nothing, so it needs no other blocks. A handler that captures nothing is a constant.
  /// - 24 and 32: the *function* of a body, where generic code makes it, so that it keeps one type or two.
  /// - 40 and 48: the same function, where it also keeps the handler.
  /// - 32: the box of an error without fields: header 16, type 8, witness table 8.
  /// - 32: the *record* that the runtime makes for an object with weak references.
  /// - 160: the `SideTable`: header 16, late entries 16, hooks 8, follows 8, combination 8, progress 40, weight 8,
  ///   client promise 8, two flags 2 (padded to 8), scope 8, ring report 8, timer or Task 8, notes 8.
  /// - 88: an array (header 32) of one hook (56: action 17, padded to 24, context 16, fallback 16).
  /// - 96: an array (header 32) of one `Settled` (64: promise 8, list of entries 16, leftovers 40). It is the queue of
  ///   promises that a call has settled and must fire.
  @Suite("Allocations of links") struct LinkMemoryTests {
    /// An owner whose promise is pending as long as the test runs.
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }
    private let queue = DispatchQueue(label: "links")
    /// A number for handlers to capture, which the optimiser does not know.
    private let number = Int.random(in: 1...2)

    @Test("map allocates one block for its link, and a second for a handler that captures")
    func map() {
      expectAllocations([166]) { promise.map(on: queue) { $0 &+ 1 } }
      // The blocks are the handler's own context and the link. The goal is at most 3 allocations and 200 bytes.
      expectAllocations([24, 166]) { [number] in promise.map(on: queue) { $0 &+ number } }
    }

    @Test("then allocates one block for its link, and a second for a handler that captures")
    func then() {
      // A link that adopts has no more fields than the link of `map`.
      expectAllocations([166]) { promise.then(on: queue) { .fulfilled($0) } }
      // The handler needs a context of its own.
      expectAllocations([24, 166]) { [number] in promise.then(on: queue) { .fulfilled($0 &+ number) } }
    }

    @Test("tap, tapThen, always, alwaysThen and asVoid allocate one block for their link")
    func tap() {
      expectAllocations([166]) { promise.tap(on: queue) { _ in } }
      expectAllocations([166]) { promise.tapThen(on: queue) { _ in Promise.fulfilled(1) } }
      expectAllocations([166]) { promise.always(on: queue) { _ in } }
      expectAllocations([166]) { promise.alwaysThen(on: queue) { _ in Promise.fulfilled(1) } }
      // The link is a `Promise<Void>`.
      expectAllocations([166]) { promise.asVoid() }
    }

    @Test("catch and catchThen allocate one block for their link, with or without an error type")
    func `catch`() {
      expectAllocations([166]) { promise.catch(on: queue) { _ in } }
      expectAllocations([166]) { promise.catch(only: CancellationError.self, on: queue) { _ in } }
      expectAllocations([166]) { promise.catchThen(on: queue) { _ in Promise.fulfilled(1) } }
      expectAllocations([166]) { promise.catchFailure(on: queue) { _ in } }
      expectAllocations([166]) { promise.catchFailure(only: CancellationError.self, on: queue) { _ in } }
    }

    @Test("recover and rescue allocate one block for their link")
    func recover() {
      expectAllocations([166]) { promise.recover(on: queue) { _ in 1 } }
      expectAllocations([166]) { promise.recover(from: CancellationError.self, on: queue) { _ in 1 } }
      expectAllocations([166]) { promise.rescue(on: queue) { _ in .fulfilled(1) } }
      expectAllocations([166]) { promise.rescue(from: CancellationError.self, on: queue) { _ in .fulfilled(1) } }
      expectAllocations([166]) { promise.recoverFailure(on: queue) { _ in 1 } }
      expectAllocations([166]) { promise.rescueFailure(on: queue) { _ in .fulfilled(1) } }
      // A body for errors captures a handler that captures something (32).
      expectAllocations([24, 32, 166]) { [number] in promise.rescue(on: queue) { _ in .fulfilled(number) } }
    }

    @Test("validate and compactMap allocate a wrapper and a link, mapError and markCancelled only a link")
    func composed() {
      // The blocks are the wrapper, which holds the handler, the creation site and, for `validate`, the message (48 and
      // 40), and the link.
      expectAllocations([48, 166]) { promise.validate(on: queue) { $0 > 0 } }
      expectAllocations([40, 166]) { promise.compactMap(on: queue) { $0 } }
      // The optimiser removes the wrapper of a handler that captures nothing.
      expectAllocations([166]) { promise.mapError(on: queue) { $0 } }
      expectAllocations([166]) { promise.mapError(from: CancellationError.self, on: queue) { $0 } }
      expectAllocations([166]) { promise.markCancelled(on: queue) { _ in true } }
    }

    @Test("map and then with both handlers allocate one block for their link")
    func bothHandlers() {
      // The link is a `ForkedEntry`.
      expectAllocations([200]) { promise.map(on: queue, fulfilled: { $0 }, rejected: { _ in 0 }) }
      expectAllocations([200]) {
        promise.then(on: queue, fulfilled: { .fulfilled($0) }, rejected: { _ in .fulfilled(0) })
      }
    }

    @Test("An observer takes one allocation, as a link does")
    func observers() {
      // An observer is an entry whose promise is hidden from clients.
      expectAllocations([166]) { promise.onFulfilled(on: queue) { _ in } }
      expectAllocations([166]) { promise.onRejected(on: queue) { _ in } }
      expectAllocations([166]) { promise.onFailed(on: queue) { _ in } }
      // A handler that captures needs a context of its own, and the body for errors captures it.
      expectAllocations([24, 32, 166]) { [number] in promise.onRejected(on: queue) { _ in blackHole(number) } }
      expectAllocations([166]) { promise.onSettled(on: queue) { _ in } }
    }

    @Test("Following another promise takes 3 allocations", .rule("3.1"))
    func follow() {
      // The blocks are the `Follower` (184), a list that contains it (40), and the side table of the following promise
      // (160), which contains the list.
      let follows = expectAllocations([40, 160, 184], of: Deferred<Int>()) { $0.follow(promise) }
      #expect(follows)
    }
  }
}
