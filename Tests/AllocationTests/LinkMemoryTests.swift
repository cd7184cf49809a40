import Dispatch
import PromiseContexts
import Testing

extension MemoryTests {
  /// What links take: M2 and its relatives. Each list has the bytes asked for, smallest block first.
  ///
  /// The blocks that come again and again:
  /// - 72: the derived promise, see `PromiseMemoryTests`.
  /// - 97: the `Reaction`: header 16, word 8, source 8, target 8, body 32, context or place 25.
  /// - 152: an `AdoptingReaction`, with `adopted` and `previousFollow`.
  /// - 184: a `ForkedReaction`, with a second body.
  /// - 24: the context of a handler that captures an `Int`: header 16, number 8. The body is that handler, and a function
  ///   beside it that captures nothing: no more blocks. A handler that captures nothing is a constant.
  /// - 24, 32: the *function*, where it is made in generic code and so keeps one type or two. 40, 48: the same, where it
  ///   keeps the handler, too.
  /// - 24 is also the *copier*, the function that copies a value, where it is not inlined and so keeps the type.
  /// - 32 is also the box of an error without fields (header 16, type 8, witness table 8), and the *record* that the
  ///   runtime makes for an object of which there are weak references.
  /// - 161: the `SideTable`. 66: a `FamilyNode`. An array: header 32, elements.
  @Suite("links")
  struct LinkMemoryTests {
    /// Pending as long as the test runs.
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }
    private let queue = DispatchQueue(label: "links")
    /// What a handler captures; not known to the optimiser.
    private let number = Int.random(in: 1...2)

    @Test("M2, row D4: map")
    func map() {
      let (_, allocations) = Allocations.counted { promise.map(on: queue) { $0 &+ 1 } }
      // Promise, link.
      #expect(allocations.requested == [72, 97])
      #expect(allocations.usableBytes == 176)
    }

    @Test("M2, row D4: map with a handler that captures")
    func mapCapturing() {
      let (_, allocations) = Allocations.counted { [number] in promise.map(on: queue) { $0 &+ number } }
      // The handler's own context, promise, link.
      #expect(allocations.requested == [24, 72, 97])
      #expect(allocations.usableBytes == 200)
    }

    @Test("M2: a link takes at most 3 allocations and 200 bytes")
    func goal() {
      let (_, plain) = Allocations.counted { promise.map(on: queue) { $0 &+ 1 } }
      let (_, capturing) = Allocations.counted { [number] in promise.map(on: queue) { $0 &+ number } }
      #expect(plain.count <= 3)
      #expect(plain.usableBytes <= 200)
      // A handler that captures brings a context of its own.
      #expect(capturing.count <= 3)
      #expect(capturing.usableBytes <= 200)
    }

    @Test("row D5: then")
    func then() {
      let (_, allocations) = Allocations.counted { promise.then(on: queue) { .fulfilled($0) } }
      // As map, with an `AdoptingReaction`.
      #expect(allocations.requested == [72, 152])
      let (_, capturing) = Allocations.counted { [number] in promise.then(on: queue) { .fulfilled($0 &+ number) } }
      // And the handler's own context.
      #expect(capturing.requested == [24, 72, 152])
    }

    @Test("row D6: tap")
    func tap() {
      let (_, allocations) = Allocations.counted { promise.tap(on: queue) { _ in } }
      #expect(allocations.requested == [72, 97])
    }

    @Test("row D8: catch")
    func `catch`() {
      let (_, all) = Allocations.counted { promise.catch(on: queue) { _ in } }
      #expect(all.requested == [72, 97])
      let (_, typed) = Allocations.counted { promise.catch(only: CancellationError.self, on: queue) { _ in } }
      #expect(typed.requested == [72, 97])
    }

    @Test("row D9: recover and rescue")
    func recover() {
      // As map and then.
      let (_, recover) = Allocations.counted { promise.recover(on: queue) { _ in 1 } }
      #expect(recover.requested == [72, 97])
      let (_, typed) = Allocations.counted { promise.recover(from: CancellationError.self, on: queue) { _ in 1 } }
      #expect(typed.requested == [72, 97])
      let (_, rescue) = Allocations.counted { promise.rescue(on: queue) { _ in .fulfilled(1) } }
      #expect(rescue.requested == [72, 152])
      let (_, capturing) = Allocations.counted { [number] in promise.rescue(on: queue) { _ in .fulfilled(number) } }
      #expect(capturing.requested == [24, 72, 152])
    }

    @Test("row D10: always")
    func always() {
      let (_, allocations) = Allocations.counted { promise.always(on: queue) { _ in } }
      #expect(allocations.requested == [72, 97])
    }

    @Test("row D14: validate, compactMap and mapError, which are made of others")
    func composed() {
      // The wrapper that holds the handler, the creation site and, for `validate`, the message (48, 40), promise, link.
      let (_, validate) = Allocations.counted { promise.validate(on: queue) { $0 > 0 } }
      #expect(validate.requested == [48, 72, 97])
      let (_, compactMap) = Allocations.counted { promise.compactMap(on: queue) { $0 } }
      #expect(compactMap.requested == [40, 72, 97])
      // As `recover`: the wrapper of a handler that captures nothing is folded away.
      let (_, mapError) = Allocations.counted { promise.mapError(on: queue) { $0 } }
      #expect(mapError.requested == [72, 97])
    }

    @Test("row D1: map and then with both handlers")
    func bothHandlers() {
      let (_, map) = Allocations.counted { promise.map(on: queue, fulfilled: { $0 }, rejected: { _ in 0 }) }
      // Promise, `ForkedReaction`.
      #expect(map.requested == [72, 184])
      let (_, then) = Allocations.counted {
        promise.then(on: queue, fulfilled: { .fulfilled($0) }, rejected: { _ in .fulfilled(0) })
      }
      #expect(then.requested == [72, 184])
    }

    @Test("asVoid has no handler")
    func asVoid() {
      let (_, allocations) = Allocations.counted { promise.asVoid() }
      // A `Promise<Void>`, link.
      #expect(allocations.requested == [72, 97])
    }

    @Test("row D11: observers derive no promise")
    func observers() {
      // The link.
      let (_, fulfilled) = Allocations.counted { promise.onFulfilled(on: queue) { _ in } }
      #expect(fulfilled.requested == [97])
      let (_, rejected) = Allocations.counted { promise.onRejected(on: queue) { _ in } }
      #expect(rejected.requested == [97])
      // A handler that captures costs its own context.
      let (_, capturing) = Allocations.counted { [number] in promise.onRejected(on: queue) { _ in blackHole(number) } }
      #expect(capturing.requested == [24, 97])
      let (_, settled) = Allocations.counted { promise.onSettled(on: queue) { _ in } }
      #expect(settled.requested == [97])
    }

    @Test("rule 3.1: to follow another promise is 1 allocation")
    func follow() {
      let (follows, allocations) = Allocations.counted(of: Deferred<Int>()) { $0.follow(promise) }
      #expect(follows)
      // The `AdoptingReaction`. The closure that copies a value captures nothing.
      #expect(allocations.requested == [152])
    }
  }
}
