#if !DEBUG
  import PromiseCombinators
  import TestSupport
  import Testing

  /// The optimiser has moved the retain of an error that was read from a promise behind a call that consumed the error.
  /// That needs an optimised build of library and test, which this target has.
  @Suite("Outcomes that their readers consume") struct ReadOutcomeTests {
    private struct TrackedError: Error { let payload: Tracked }

    private enum Seen: Hashable {
      case value(Int)
      case failure(Kind, isCancelled: Bool)

      enum Kind: Hashable {
        case tracked, cancellation
        case broken(Int)
        case cycle(Int)
        case other

        /// An initialiser consumes its argument.
        @inline(never)
        init(_ error: any Error) {
          switch error {
          case is TrackedError: self = .tracked
          case is CancellationError: self = .cancellation
          case PromiseError.broken(let site): self = .broken(site.line)
          case PromiseError.cycle(let site, _): self = .cycle(site.line)
          default: self = .other
          }
        }
      }

      init?(_ promise: Promise<Int>) {
        if promise.isPending { return nil }
        switch Promise<Int>.settledOutcome(of: promise) {
        case .success(let value): self = .value(value)
        case .failure(let error): self = .failure(Kind(error), isCancelled: promise.isCancelled)
        }
      }
    }

    /// A consumer of a value.
    private struct Reader {
      let isAlive: Bool

      @inline(never)
      init(_ value: Tracked) { isAlive = withExtendedLifetime(value) { true } }

      init?(_ promise: Promise<Tracked>) {
        if promise.isPending { return nil }
        guard case .success(let value) = Promise<Tracked>.settledOutcome(of: promise) else { return nil }
        self.init(value)
      }
    }

    @Test("An error lives as long as its promise, however often it is read", .rule("6.1"))
    func error() {
      let census = Tracked.Census()
      let owner = Deferred<Int>()
      owner.reject(TrackedError(payload: Tracked(census)))
      let promises: [Promise<Int>?] = [owner.promise, nil]
      for _ in 0..<3 {
        let seen = promises.map { $0.flatMap(Seen.init) }
        #expect(seen == [.failure(.tracked, isCancelled: false), nil])
        #expect(census.living == 1)
      }
    }

    @Test("A value lives as long as its promise, however often it is read", .rule("6.1"))
    func value() {
      let census = Tracked.Census()
      let owner = Deferred<Tracked>()
      owner.fulfill(Tracked(census))
      let promises: [Promise<Tracked>?] = [owner.promise, nil]
      for _ in 0..<3 {
        let readers = promises.map { $0.flatMap(Reader.init) }
        #expect(readers.map { $0?.isAlive } == [true, nil])
        #expect(census.living == 1)
      }
    }
  }
#endif
