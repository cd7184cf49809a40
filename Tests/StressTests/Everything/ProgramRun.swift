import PromiseCombinators
import PromiseGates
import PromiseRecording
import PromiseTesting
import TestSupport

/// Runs a program in a world, and checks the rules that hold for each program.
final class ProgramRun {
  let world: TestWorld
  let shop: Workshop
  let isWatched: Bool
  var lazies: [Int: LazyPromise<Int>] = [:]
  let bag = CancelBag()
  /// The promises that were put into the bag.
  var bound: [Int] = []
  /// The work for which the promise of a line waits for a limited time.
  var limitedWork: [Int: OwnedWork] = [:]
  private var hasCancelledWork = false
  private var made: [RandomOperation] = []
  private var observers: [Int: [String]] = [:]
  private var progress: [Int: Double] = [:]
  private let recorder = Recorder()

  var log: RunLog { shop.log }
  var promises: [Int: Promise<Int>] { shop.promises.withLock { $0 } }

  init(in world: TestWorld, log: RunLog, isWatched: Bool) {
    self.world = world
    self.isWatched = isWatched
    shop = Workshop(log: log, context: world.serial("hooks"))
  }

  /// Runs all lines. In a watched run, the recorder and the register are switched between them.
  func run(_ program: [RandomOperation]) {
    for line in program {
      if isWatched { watch(line) }
      if line.kind.makesPromise {
        guard let promise = make(line) else { continue }
        let held = isWatched && line.detail % 3 == 0 ? promise.labeled("line \(line.id)") : promise
        shop.promises.withLock { $0[line.id] = held }
        made.append(line)
      } else {
        act(line)
      }
      examine()
    }
  }

  private func watch(_ line: RandomOperation) {
    switch line.detail % 5 {
    case 0: recorder.start()
    case 1: recorder.stop()
    case 2: Diagnostics.recordsPendingPromises = true
    case 3: Diagnostics.recordsPendingPromises = false
    default: _ = promises[line.first]?.waitsFor
    }
  }

  // MARK: Actions

  private func act(_ line: RandomOperation) {
    switch line.kind {
    case .steps: for _ in 0..<line.detail % 7 { step() }
    case .advance: for _ in 0..<line.detail % 9 { tick() }
    case .pauseGate: shop.pause(line.detail, true)
    case .resumeGate: shop.pause(line.detail, false)
    case .changePlaces: changePlaces(1 + line.detail % 3)
    case .forget: shop.forget(line.detail % 2)
    case .cancelBag, .closeBag: endBag(line)
    case .startLazy: lazies[line.first]?.start()
    case .cancelLazy: cancelLazy(line)
    case .letGo: _ = shop.promises.withLock { $0.removeValue(forKey: line.first) }
    case .cancelWork:
      hasCancelledWork = true
      shop.cancelWork(line.detail, reason: TestError(line.id))
    case .cancel: cancel(line, upstream: false)
    case .cancelUpstream: cancel(line, upstream: true)
    default: observe(line)
    }
  }

  private func changePlaces(_ count: Int) {
    shop.limit.placeCount = count
    shop.mostPlaces.withLock { $0 = max($0, count) }
  }

  private func cancelLazy(_ line: RandomOperation) {
    guard let lazy = lazies[line.first] else { return }
    lazy.cancel(reason: TestError(line.id))
    log.limit("lazy \(line.first)", toFurther: 0, "4.6")
  }

  private func observe(_ line: RandomOperation) {
    guard let promise = promises[line.first] else { return }
    let log = log
    let name = "\(line.kind) of \(line.id)"
    log.limit(name, to: line.kind == .onProgress ? .max : 1, "2.1")
    switch line.kind {
    case .onSettled: promise.onSettled { _ in log.called(name) }
    case .onFulfilled:
      observers[line.first, default: []].append(name)
      promise.onFulfilled { _ in log.called(name) }
    case .onProgress:
      let last = Locked(0.0)
      observers[line.first, default: []].append(name)
      promise.onProgress(on: world.main) { value in
        log.called(name)
        last.withLock { last in
          log.require(value > last, "5.1", "\(name) sees \(value) after \(last)")
          last = value
        }
      }
    case .onRejected: promise.onRejected { _ in log.called(name) }
    case .onFailed:
      observers[line.first, default: []].append(name)
      promise.onFailed { _ in log.called(name) }
    default:
      // A settled promise is not put into the bag.
      if promise.isPending { bound.append(line.first) }
      promise.bound(to: bag)
      if bag.isClosed { log.require(!promise.isPending, "4.6", "\(line.first) is pending, and bound to a closed bag") }
    }
  }

  /// Cancels everything in the bag, and perhaps closes it.
  private func endBag(_ line: RandomOperation) {
    let pending = bound.filter { promises[$0]?.isPending == true }
    let reason = TestError(line.id)
    if line.kind == .closeBag { bag.close(reason: reason) } else { bag.cancelAll(reason: reason) }
    for id in bound {
      log.require(promises[id]?.isPending != true, "4.6", "\(id) is pending after the end of its bag")
    }
    for id in pending {
      for name in observers[id, default: []] { log.limit(name, toFurther: 0, "2.5") }
    }
  }

  /// Cancels a promise. What is below it must be settled then, and handlers that are taken back must not run.
  private func cancel(_ line: RandomOperation, upstream: Bool) {
    guard let promise = promises[line.first] else { return }
    let below = linesBelow(line.first)
    let wasPending = promise.isPending
    promise.cancel(reason: TestError(line.id), upstream: upstream)
    log.require(!promise.isPending, "4.2", "\(line.first) is pending after its cancellation")
    for line in below {
      log.require(promises[line.id]?.isPending != true, "4.2", "\(line.id) is pending after a cancellation above")
      if line.kind.isTakenBack { log.limit(line.name, toFurther: 0, "2.5") }
    }
    for id in below.map(\.id) + [line.first] {
      for name in observers[id, default: []] { log.limit(name, toFurther: 0, "2.5") }
    }
    // Some lines transform the result of the operator, so a plain `cancel` leaves it going.
    for other in made where upstream && wasPending && other.id == line.first { log.limitCalls(afterEndOf: other) }
  }

  /// The pending promises that are surely below a promise, and the promise itself if it is pending.
  private func linesBelow(_ id: Int) -> [RandomOperation] {
    var known: Set<Int> = [id]
    return made.filter { line in
      guard promises[line.id]?.isPending == true else { return false }
      if line.id == id { return true }
      guard line.kind.isLink, known.contains(line.first) else { return false }
      known.insert(line.id)
      return true
    }
  }

  // MARK: Steps

  func step() {
    world.step()
    examine()
  }

  func tick() {
    shop.tick()
    world.advance(by: .milliseconds(1))
    examine()
  }

  /// Checks what must hold at each moment.
  private func examine() {
    shop.examine()
    examineLimited()
    // In the order of the lines, because a read of the progress may change what is shown later (rule 5.4).
    for (id, promise) in promises.sorted(by: { $0.key < $1.key }) {
      let last = progress[id, default: 0]
      let value = promise.progress
      log.require(value >= last, "5.1", "the progress of \(id) falls from \(last) to \(value)")
      progress[id] = value
      if case .fulfilled = promise.state { log.require(value == 1, "5.2", "\(id) is fulfilled, and shows \(value)") }
      log.require(!promise.isPending || !promise.isFinished, "2.11", "\(id) has finished before it is settled")
    }
  }

  /// Checks what a time limit has left of the work for which its promise waited (rule 4.6).
  private func examineLimited() {
    for line in made {
      guard let work = limitedWork[line.id], let promise = promises[line.id], !promise.isPending else { continue }
      if line.kind == .limitedOwner || line.detail % 3 > 0 && !promise.isCancelled {
        log.require(!work.promise.isPending, "4.6", "\(line.id) is settled, and what it waited for goes on")
      } else if !promise.isCancelled, !hasCancelledWork {
        log.require(!work.wasCancelled, "4.6", "\(line.id) has stopped what it only leaves")
      }
    }
  }

  // MARK: The end

  /// Lets everything end, and checks what must hold then.
  ///
  /// - Returns: The outcomes of all promises that the program holds.
  func end() -> [Int: String] {
    for gate in 0..<4 { shop.pause(gate, false) }
    // Operators whose promise was let go may begin more work after a pause.
    var calmTicks = 0
    for _ in 0..<400 where calmTicks < 30 {
      tick()
      calmTicks = isDone ? calmTicks + 1 : 0
    }
    shop.examineEnd()
    for line in made {
      guard let promise = promises[line.id] else { continue }
      log.require(!promise.isPending, "6.2", "\(line.id) is pending, waiting for \(promise.waitsFor)")
      log.require(promise.isFinished, "2.11", "\(line.id) has not finished")
      if line.kind.alwaysRuns { log.require(log.calls(of: line.name) == 1, "2.5", "\(line.name) did not run") }
      if line.kind == .using || line.kind == .asyncUsing {
        let acquired = log.calls(of: "acquired by \(line.id)")
        let released = log.calls(of: "released by \(line.id)")
        log.require(acquired == released, "2.10", "\(line.id) acquired \(acquired) and released \(released)")
      }
    }
    for line in made where line.kind == .limitedOwner {
      guard PromiseError.Code(promises[line.id]?.error) == .timedOut else { continue }
      log.require(log.calls(of: line.name) == 1, "4.5", "\(line.name) has expired, and its hook has not run")
    }
    if isWatched { examineRegister() }
    // To read a result handles a rejection.
    for lazy in lazies.values { _ = lazy.result }
    // Closures that the library holds may hold the workshop, so it must hold no promises at the end.
    let promises = shop.promises.withLock { promises in
      defer { promises = [:] }
      return promises
    }
    return promises.mapValues { promise in
      let mark = promise.isCancelled ? ", cancelled" : ""
      return switch promise.result {
      case .success(let value)?: "\(value)"
      case .failure(let error)?: describe(error) + mark
      case nil: "pending"
      }
    }
  }

  private var isDone: Bool {
    shop.work.allSatisfy(\.isDone) && promises.values.allSatisfy(\.isFinished)
  }

  private func examineRegister() {
    recorder.stop()
    let pending = Diagnostics.pending().groups.filter { $0.createdAt.fileID.contains("/ProgramRun") }
    log.require(pending.isEmpty, "register", "the register has \(pending)")
    Diagnostics.recordsPendingPromises = false
  }
}

extension RandomOperation {
  /// The name of the handler or closure of the line.
  var name: String { "\(kind) \(id)" }

  /// How many calls of the closure may follow a cancellation (rule 4.11).
  fileprivate var mostFurtherCalls: Int? {
    switch kind {
    case .retry, .carryingRetry, .asyncRetry, .forEachStream, .forEach, .repeating, .reduce, .chain, .reduceAll: 1
    case .traverse, .traverseStream, .asyncTraverse: 1 + detail % 3
    default: nil
    }
  }
}

extension RunLog {
  /// Limits the calls of an operator's closure whose result was pending, and was given up just now.
  func limitCalls(afterEndOf line: RandomOperation) {
    guard let places = line.mostFurtherCalls else { return }
    limit(line.name, toFurther: places, "4.11")
    limit("asking \(line.name)", toFurther: 0, "4.11")
  }
}
