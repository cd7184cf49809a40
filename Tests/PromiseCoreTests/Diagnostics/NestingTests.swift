import TestSupport
import Testing

#if DEBUG
  @Suite("Maps whose closure returns an unused promise", .serialized) struct NestingTests {
    private let context = ManualContext()
    private let inner = Deferred<Int>()

    /// Returns the lines of the reports about unused promises that come while the body and its handlers run.
    private func reported(_ body: (Promise<Int>, @escaping @Sendable (Int) -> Promise<Int>) -> Void) -> [Int] {
      let lines = Log<Int>()
      let before = Diagnostics.onUnreadMappedValue {
        if $0.fileID == "Nested/Map.swift" { lines.append($0.line) }
      }
      defer { _ = Diagnostics.onUnreadMappedValue(before) }
      body(.fulfilled(1)) { .fulfilled($0 + 1) }
      context.runUntilIdle()
      return lines.entries
    }

    private func mapped(_ start: Promise<Int>, _ load: @escaping @Sendable (Int) -> Promise<Int>, _ line: UInt)
      -> Promise<Promise<Int>>
    { start.map(on: context, fileID: "Nested/Map.swift", line: line) { load($0) } }

    @Test("An unused promise is reported with the site of its map, even if links that do not read the value follow")
    func unused() {
      let lines = reported { start, load in
        _ = mapped(start, load, 1)
        mapped(start, load, 2).catch(on: context) { _ in }
        mapped(start, load, 3).onRejected(on: context) { _ in }
        _ = mapped(start, load, 4).asVoid()
        _ = mapped(start, load, 5).recover(on: context) { _ in .fulfilled(0) }
      }
      #expect(lines.sorted() == [1, 2, 3, 4, 5])
    }

    @Test("A promise is not reported if a consumer reads the value, at any distance from the map")
    func used() {
      let lines = reported { start, load in
        _ = mapped(start, load, 1).then(on: context) { $0 }
        _ = mapped(start, load, 2).catch(on: context) { _ in }.map(on: context) { $0.isPending }
        mapped(start, load, 3).onFulfilled(on: context) { _ in }
        mapped(start, load, 4).tap(on: context) { _ in }.catch(on: context) { _ in }
        mapped(start, load, 5).always(on: context) { _ in }
        let branched = mapped(start, load, 6)
        branched.catch(on: context) { _ in }
        branched.onSettled(on: context) { _ in }
        let read = mapped(start, load, 7)
        context.runUntilIdle()
        #expect(read.state.value?.result != nil)
      }
      #expect(lines == [])
    }

    @Test("A map is not reported if another map returns its promise and is read, or if it failed or was cancelled")
    func others() {
      let lines = reported { start, _ in
        let cached = Promise.fulfilled(7)
        _ = mapped(start, { _ in cached }, 1)
        _ = mapped(start, { _ in cached }, 2).then(on: context) { $0 }
        _ = mapped(.rejected(TestError(1)), { _ in cached }, 3)
        let cancelled = Log<Promise<Promise<Int>>>()
        let promise = mapped(
          start,
          { _ in
            cancelled.entries[0].cancel()
            return .fulfilled(2)
          }, 4)
        cancelled.append(promise)
        context.runUntilIdle()
        #expect(promise.isCancelled)
      }
      #expect(lines == [])
    }
  }
#endif
