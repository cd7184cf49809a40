// A finish counts the work that still runs. Its notes name that work, for descriptions and for the search for rings (rule
// 3.2). They retain nothing. A note may be about something that has ended, because only a reader looks for that.

/// Something for which a finish waits.
enum FinishNote {
  case finish(Weak<Finish>)
  /// A promise that was pending, and the hook that has returned it, if a hook has.
  case promise(Weak<AnyPromise>, from: HookPlace?)
  /// An entry whose handler has not returned.
  case handler(Weak<AnyPromise>)
  /// A hook that has not returned.
  case hook(HookPlace)
  /// The closure of a Task, which is running.
  case task(Weak<TaskBody>)

  static func finish(_ finish: Finish) -> FinishNote { .finish(Weak(finish)) }
  static func handler(_ entry: AnyPromise) -> FinishNote { .handler(Weak(entry)) }
  static func task(_ body: TaskBody) -> FinishNote { .task(Weak(body)) }

  /// The object that the note is about, if it is not deallocated.
  var object: AnyObject? {
    switch self {
    case .finish(let finish): finish.object
    case .promise(let promise, _), .handler(let promise): promise.object
    case .hook: nil
    case .task(let task): task.object
    }
  }

  var hook: HookPlace? {
    guard case .hook(let place) = self else { return nil }
    return place
  }
}

struct Weak<Object: AnyObject> {
  private(set) weak var object: Object?
  /// That of the object, also after it is deallocated. Then another object may have it.
  let identity: ObjectIdentifier

  init(_ object: Object) {
    self.object = object
    identity = ObjectIdentifier(object)
  }
}

/// The place where an owner has registered a hook, and the context where the hook runs.
final class HookPlace: Equatable, Sendable {
  /// `nil` if it is not known.
  let site: CreationSite?
  private let identity: ObjectIdentifier?
  private weak let weakContext: (any ExecutionContext)?

  init(site: CreationSite?, context: (any ExecutionContext)?) {
    self.site = site
    weakContext = context
    identity = context.map { ObjectIdentifier($0) }
  }

  /// The hook in words.
  var name: String { "a hook" + (site.map { " that was registered at \($0)" } ?? "") }

  /// The context that the owner has named, if any.
  var context: (any ExecutionContext)? { weakContext }

  static func == (one: HookPlace, other: HookPlace) -> Bool {
    one.site == other.site && one.identity == other.identity
  }
}

extension Finish {
  /// Makes this finish wait for a promise until that has finished. Uses up a hold of the caller, which has no lock.
  ///
  /// - Parameter hook: the hook that has returned the promise, if a hook has.
  @inline(never)
  func passHold(to promise: AnyPromise, from hook: HookPlace? = nil) {
    if promise.isPending { note(.promise(Weak(promise.resolved), from: hook)) }
    promise.whenSettled(.awaitsFinish) { [self] settled in
      if let source = settled.unfinished { source.precedeUnlessRing(self) }
      release()
    }
  }
}

/// The finish for which a pending promise waits. It retains neither the other promise nor the finish.
final class AwaitedFinish: Sendable {
  weak let promise: AnyPromise?
  /// `nil` as long as that promise is pending.
  private weak let finish: Finish?

  init(of promise: AnyPromise, _ finish: Finish?) {
    Finish.noteUse()
    self.promise = promise
    self.finish = finish
  }

  var awaited: [Awaited] {
    if let promise { return [.promise(promise.resolved)] }
    return finish.map { $0.isEnded ? [] : [.finish($0)] } ?? []
  }

  /// Appends the promises that must have finished before this finish has ended.
  func append(to promises: inout [AnyPromise], _ visited: inout Set<ObjectIdentifier>) {
    if let promise { promises.append(promise.resolved) } else { finish?.appendAwaited(to: &promises, &visited) }
  }
}

// MARK: - Reading

/// Something for which a promise waits, or another thing for which that waits.
enum Awaited {
  case promise(AnyPromise)
  /// The finish of a settled promise.
  case finish(Finish)
  /// A hook, and the promise that it has returned.
  case hook(HookPlace, AnyPromise)
  case end(WaitEnd)

  /// Equal for two that wait for the same. `nil` if there cannot be a second.
  @inline(never)
  var identity: ObjectIdentifier? {
    switch self {
    case .promise(let promise): ObjectIdentifier(promise.currentFinish ?? promise as AnyObject)
    case .finish(let finish): ObjectIdentifier(finish)
    case .hook, .end: nil
    }
  }
}

extension AnyPromise {
  /// The finish of this promise, if it is settled and something for which it stands still runs.
  final var currentFinish: Finish? {
    let state = acquiredState
    guard state.isDone, state.isUnfinished, let finish = locked({ side?.finish }) else { return nil }
    return finish.isEnded ? nil : finish
  }
}

extension Finish {
  /// The things for which this finish waits.
  var awaited: [Awaited] {
    if isEnded { return [] }
    var found: [Awaited] = []
    // A promise and its finish may both be noted.
    var seen: Set<ObjectIdentifier> = []
    for note in currentNotes {
      guard let item = awaited(by: note) else { continue }
      if case .hook(_, let promise) = item {
        if let identity = Awaited.promise(promise).identity { seen.insert(identity) }
      } else if let identity = item.identity, !seen.insert(identity).inserted {
        continue
      }
      found.append(item)
    }
    // Hooks without a place are counted, and not noted.
    return found.isEmpty ? [.end(.hook(nil, of: self))] : found
  }

  /// The number of finishes that the search for a ring looks at. Unfinished adoptions that are nested deeper are rare,
  /// and each of them would search through all below it.
  private static let maxDistance = 256

  /// Whether this finish waits for another one, directly or through other finishes and promises.
  func waits(for other: Finish) -> Bool {
    var promises: [AnyPromise] = []
    var visited: Set<ObjectIdentifier> = []
    appendAwaited(to: &promises, &visited, atMost: Self.maxDistance)
    return visited.contains(ObjectIdentifier(other)) || promises.contains { $0.waits(for: other) }
  }

  /// Appends the promises for which this finish waits, directly or through other finishes.
  ///
  /// - Parameters:
  ///   - visited: the finishes that were visited.
  ///   - limit: the number of finishes to visit.
  func appendAwaited(
    to promises: inout [AnyPromise], _ visited: inout Set<ObjectIdentifier>, atMost limit: Int = .max
  ) {
    var found = [self]
    while visited.count < limit, let finish = found.popLast() {
      guard !finish.isEnded, visited.insert(ObjectIdentifier(finish)).inserted else { continue }
      for note in finish.currentNotes {
        switch note {
        case .finish(let other): if let other = other.object { found.append(other) }
        case .promise(let promise, _): if let promise = promise.object { promises.append(promise.resolved) }
        case .handler, .hook, .task: break
        }
      }
    }
  }

  /// Whether a Task of the promise is noted.
  var isOfTask: Bool { currentNotes.contains { if case .task = $0 { true } else { false } } }

  /// The thing that a note is about. `nil` if it has ended.
  private func awaited(by note: FinishNote) -> Awaited? {
    switch note {
    case .finish(let finish): return finish.object.flatMap { $0.isEnded ? nil : .finish($0) }
    case .promise(let promise, let hook):
      guard let promise = promise.object?.resolved, !promise.hasFinished else { return nil }
      return hook.map { .hook($0, promise) } ?? .promise(promise)
    case .handler(let entry): return entry.object?.unfinishedHandler.map { .end(.handler($0)) }
    case .hook(let place): return .end(.hook(place, of: self))
    case .task(let task): return task.object.flatMap { $0.isRunning ? .end(.task($0, of: self)) : nil }
    }
  }

  /// The node of the promise of this finish.
  func waitNode(waitsFor nodes: [WaitNode] = []) -> WaitNode {
    let site = CreationSite(subject.site)
    let origin = (subject.operation.map { "\($0.name) at " } ?? "") + site.description
    let label = subject.label.map { " \(quotedLabel($0))" } ?? ""
    let text =
      subject.isCleanup
      ? "the cleanup of \(origin), which has not ended"
      : "the promise\(label) of \(origin), which is settled and has not finished"
    return WaitNode(
      .promise, operation: subject.operation?.name, createdAt: site, label: subject.label, age: age, summary: text,
      waitsFor: nodes)
  }
}

extension WaitNode {
  /// The node of a hook.
  ///
  /// - Parameter place: `nil` if it is not known which hook.
  static func hook(at place: HookPlace?, waitsFor nodes: [WaitNode] = []) -> WaitNode {
    let context = place?.context.map { " on \($0.nameInReports)" } ?? ""
    return WaitNode(
      .hook, createdAt: place?.site, summary: "\(place?.name ?? "a hook")\(context), which has not ended",
      waitsFor: nodes)
  }
}
