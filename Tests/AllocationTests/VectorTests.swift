#if !DEBUG
  import PromiseCombinators
  import PromiseGates
  import TestSupport
  import Testing

  /// The optimiser of Swift 6.3.1 allocates too little for an async function that keeps a vector of more than 16 bytes
  /// in a variable while it is suspended. The async functions of the library must not do so. That needs an optimised
  /// build of library and test, which this target has.
  @Suite("Values that contain a vector") struct VectorTests {
    // The process has a heap of its own, because the function that is at fault damages the heap.
    @Test("An async closure receives and returns a value with a vector of 128 bytes", arguments: Call.allCases)
    func values(_ call: Call) async {
      await #expect(processExitsWith: .success) { [call] in
        for _ in 0..<2_000 {
          let isIntact = try await call().map { $0.isIntact }.value
          #expect(isIntact)
        }
      }
    }

    @Test("A Task that awaits a promise receives a value with a vector of 128 bytes")
    func awaited() async {
      await #expect(processExitsWith: .success) {
        for _ in 0..<2_000 {
          let sample = try await Promise.task { Sample() }.value
          #expect(sample.isIntact)
          let cancellable = try await Promise.task { Sample() }.value(cancelsSource: true)
          #expect(cancellable.isIntact)
        }
      }
    }

    @Test(
      "An async function of a program keeps a vector of 128 bytes while it is suspended",
      .disabled("Swift 6.3.1 allocates too little for such a function (Docs/Reference/Portability.md)"))
    func program() async {
      await #expect(processExitsWith: .success) {
        for _ in 0..<2_000 {
          let light = await Task.detached { await brightened() }.value
          #expect(light == SIMD16(repeating: 2.5))
        }
      }
    }
  }

  struct Pixels {
    var position = (1, 2, 3, 4)
    var light = SIMD16<Double>(repeating: 1.5)
  }

  @inline(never)
  func made<Value>(by body: () -> Value) async -> Value { body() }

  @inline(never)
  func pause() async {}

  @inline(never)
  func brightened() async -> SIMD16<Double> {
    let light = await made { Pixels() }.light
    await pause()
    return light + SIMD16(repeating: 1)
  }

  private final class Object: Sendable {
    let number = 7
  }

  private struct Sample: Sendable {
    var numbers = (1, 2, 3, 4)
    var object = Object()
    var vector = SIMD16<Double>(repeating: 1.5)

    var isIntact: Bool { numbers == (1, 2, 3, 4) && object.number == 7 && vector == SIMD16(repeating: 1.5) }

    @Sendable func check() throws { if !isIntact { throw SampleError() } }
  }

  private struct SampleError: Error {
    var sample = Sample()
  }

  private actor Worker {
    static let shared = Worker()
  }

  /// A call that passes a sample to an async closure, or receives one from it, or both.
  enum Call: String, CaseIterable, Codable {
    case map, mapOfNumber, tap, always, recover, recoverFromType
    case mapOnActor, tapOnActor, alwaysOnActor, recoverOnActor, recoverFromTypeOnActor
    case mapOnMain, tapOnMain, alwaysOnMain, recoverOnMain, recoverFromTypeOnMain
    case task, serialGate, limit, rateLimit, reader, writer, singleFlight, valueCache, retry, using, traverse

    fileprivate func callAsFunction() -> Promise<Sample> {
      let sample = Promise.fulfilled(Sample())
      let failed = Promise<Sample>.rejected(SampleError())
      let worker = Worker.shared
      switch self {
      case .map: return sample.asyncMap { $0 }
      case .mapOfNumber: return Promise.fulfilled(1).asyncMap { _ in Sample() }
      case .tap: return sample.asyncTap { try $0.check() }
      case .always: return sample.asyncAlways { try $0.get().check() }
      case .recover: return failed.asyncRecover { ($0 as? SampleError)?.sample ?? Sample() }
      case .recoverFromType: return failed.asyncRecover(from: SampleError.self) { $0.sample }
      case .mapOnActor: return sample.asyncMap(isolatedTo: worker) { $1 }
      case .tapOnActor: return sample.asyncTap(isolatedTo: worker) { try $1.check() }
      case .alwaysOnActor: return sample.asyncAlways(isolatedTo: worker) { try $1.get().check() }
      case .recoverOnActor: return failed.asyncRecover(isolatedTo: worker) { ($1 as? SampleError)?.sample ?? Sample() }
      case .recoverFromTypeOnActor:
        return failed.asyncRecover(from: SampleError.self, isolatedTo: worker) { $1.sample }
      case .mapOnMain: return sample.asyncMap(on: .main) { $0 }
      case .tapOnMain: return sample.asyncTap(on: .main) { try $0.check() }
      case .alwaysOnMain: return sample.asyncAlways(on: .main) { try $0.get().check() }
      case .recoverOnMain: return failed.asyncRecover(on: .main) { ($0 as? SampleError)?.sample ?? Sample() }
      case .recoverFromTypeOnMain: return failed.asyncRecover(from: SampleError.self, on: .main) { $0.sample }
      case .task: return Promise.task { Sample() }
      case .serialGate: return SerialGate().asyncRun { Sample() }
      case .limit: return ConcurrencyLimit(1).asyncRun { Sample() }
      case .rateLimit: return RateLimit(1, per: .seconds(1)).asyncRun { Sample() }
      case .reader: return ReadersWriterGate().asyncRead { Sample() }
      case .writer: return ReadersWriterGate().asyncWrite { Sample() }
      case .singleFlight: return SingleFlight().asyncRun(for: 1) { Sample() }
      case .valueCache: return ValueCache().asyncValue(for: 1) { Sample() }
      case .retry: return Promise.asyncRetry { Sample() }
      case .using: return Promise.asyncUsing({ Sample() }, release: { try $0.check() }, { $0 })
      case .traverse: return Promise.asyncTraverse([Sample()], concurrency: 1) { $0 }.map { $0[0] }
      }
    }
  }
#endif
