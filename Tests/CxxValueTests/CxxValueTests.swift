#if canImport(CxxValue)
  import CxxValue
  import PromiseContexts
  import TestSupport
  import Testing

  @Suite("Values of C++ types") struct CxxValueTests {
    @Test("A small C++ structure that contains its own address arrives intact", .rule("1.4"))
    func selfPointing() {
      #expect(MemoryLayout<SelfPointing>.size == 2 * MemoryLayout<Int>.size)
      let context = ManualContext()
      let deferred = Deferred<SelfPointing>()
      let follower = Deferred<SelfPointing>()
      follower.follow(deferred.promise)
      let followed = follower.promise
      let mapped = deferred.promise.map(on: context) { SelfPointing($0.number + ($0.isIntact() ? 1 : 0)) }
      let passed = deferred.promise.tap(on: context) { _ in }
      let adopted = deferred.promise.then(on: context) { _ in followed }
      let recovered = Promise<SelfPointing>.rejected(TestError(1)).recover(on: context) { _ in SelfPointing(1) }
      deferred.fulfill(SelfPointing(1))
      context.runUntilIdle()
      #expect(mapped.state.value?.number == 2, "The handler received a broken value.")
      for promise in [deferred.promise, followed, mapped, passed, adopted, recovered, .fulfilled(SelfPointing(1))] {
        #expect(promise.state.value?.isIntact() == true)
        #expect((try? promise.result?.get().isIntact()) == true)
      }
    }

    @Test("A C++ structure arrives intact where a Task awaits it", .rule("1.4"), .rule("4.7"))
    func awaited() async throws {
      let value = try await Promise.fulfilled(SelfPointing(1)).asyncMap { $0 }.value
      #expect(value.isIntact())
      #expect(value.number == 1)
    }
  }
#else
  import Testing

  @Test("A small C++ structure that contains its own address arrives intact", .disabled("C++ has no headers here."))
  func selfPointing() {}
#endif
