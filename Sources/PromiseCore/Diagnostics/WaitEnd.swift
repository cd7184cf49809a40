/// A thing other than a promise for which a promise or a finish waits, where a tree of waits ends.
indirect enum WaitEnd {
  /// The owner of the promise.
  case owner(AnyPromise)
  case handler(UnreturnedHandler)
  case resource(any AwaitedResource, of: AnyPromise)
  /// An object of a client, such as a timer of a client's context.
  case object(any AnyObject & Sendable, of: AnyPromise)
  /// The running Task of a settled promise.
  case task(TaskBody, of: Finish)
  /// A hook. `nil` if it is not known which.
  case hook(HookPlace?, of: Finish)
  /// A promise that waits for itself, in a ring that the library has not found. Only a search for causes finds it.
  case ring(AnyPromise)

  /// The promises of the operations that have this resource.
  var holders: [AnyPromise] {
    guard case .resource(let resource, _) = self else { return [] }
    return resource.holders
  }

  /// The node of this end in a tree.
  var node: WaitNode {
    switch self {
    case .owner(let promise): promise.ownerNode
    case .handler(let handler): handler.node
    case .resource(let resource, let promise): resource.waitNode(for: promise)
    case .object(let object, let promise): promise.objectNode(object)
    case .task(let task, let finish): task.waitNode(of: finish)
    case .hook(let place, _): .hook(at: place)
    case .ring(let promise): promise.waitNode(note: "which waits for itself")
    }
  }
}

// MARK: - Causes

extension WaitEnd {
  /// The kind of a cause, the object and the place of a hook.
  typealias Identity = (kind: WaitNode.Kind, object: ObjectIdentifier, hook: CreationSite?)

  /// The identity of the cause.
  var identity: Identity {
    switch self {
    case .owner(let promise): (.owner, ObjectIdentifier(promise), nil)
    case .ring(let promise): (.promise, ObjectIdentifier(promise), nil)
    case .handler(let handler): (.handler, handler.causeIdentity, nil)
    case .resource(let resource, _):
      // The Task of a settled promise is no resource, and is the same cause.
      (resource is TaskBody ? .task : .gate, ObjectIdentifier(resource.sharedResource), nil)
    case .object(let object, _): (.timer, ObjectIdentifier(object), nil)
    case .task(let task, _): (.task, ObjectIdentifier(task), nil)
    case .hook(let place, let finish): (.hook, ObjectIdentifier(finish), place?.site)
    }
  }

  /// The place where it was made, or where a promise was made that waits for it.
  var site: Site {
    switch self {
    case .owner(let promise), .ring(let promise), .resource(_, let promise), .object(_, let promise): promise.site
    case .handler(let handler): handler.promise.site
    case .task(_, let finish), .hook(_, let finish): finish.subject.site
    }
  }

  var age: Duration? {
    switch self {
    case .owner(let promise), .ring(let promise), .resource(_, let promise), .object(_, let promise): promise.age
    case .handler(let handler): handler.promise.age
    case .task(_, let finish), .hook(_, let finish): finish.age
    }
  }

  var queuedFor: Duration? {
    guard case .handler(let handler) = self else { return nil }
    return handler.queuedFor
  }

  var gateName: String? {
    guard case .resource(let resource, let promise) = self else { return nil }
    return resource.sharedResource.causeName(for: promise)
  }

  /// Describes the end apart from the promise that waits for it.
  ///
  /// - Parameter handlers: the number of handlers that have this cause.
  func causeSummary(handlers: Int) -> String {
    switch self {
    case .owner(let promise):
      "the owner of \(promise.name) made at \(promise.createdAt), which is alive and has not settled it"
    case .handler(let handler): handler.causeSummary(count: handlers)
    case .resource(let resource, let promise): resource.sharedResource.causeSummary(for: promise)
    case .object(let object, let promise):
      "the timer of \(promise.name), \(withArticle("\(type(of: object))")), set at \(promise.createdAt)"
    case .task(let task, let finish): task.causeSummary(of: finish)
    case .hook, .ring: node.summary
    }
  }
}

/// A handler that has not returned.
struct UnreturnedHandler {
  let entry: AnyPromise
  /// The promise that it settles, or that has not finished before it has returned.
  let promise: AnyPromise
  /// Whether it has not begun, is queued or is running.
  let stage: StateWord.Stage
  /// "handler" or "cleanup".
  let kind: String

  /// The context on which the handler is queued or running, if it is known.
  var context: (any ExecutionContext)? { stage == .waiting ? nil : entry.handlerContext }

  /// The time since the handler was queued, if it is queued. Known while the register has its promise and the source.
  var queuedFor: Duration? {
    guard stage == .scheduled, let enrollment = promise.enrollment, enrollment.isListed else { return nil }
    let since = enrollment.followsSettled ? enrollment.time : entry.handledSource?.settledAt
    return since.flatMap { since in enrollment.now.map { $0 - since } }
  }

  /// The state of the handler and others, as in "which are queued on a ManualContext".
  private func state(ofMany: Bool) -> String {
    let verb = ofMany ? "are" : "is"
    let state = stage == .waiting ? "has not begun" : stage == .scheduled ? "\(verb) queued" : "\(verb) running"
    return "which \(state)" + (context.map { " on \($0.nameInReports)" } ?? "")
  }

  var node: WaitNode {
    WaitNode(
      .handler, operation: promise.operation?.name, createdAt: promise.createdAt, label: promise.label,
      summary: "the \(kind) of \(promise.origin), \(state(ofMany: false))")
  }

  /// Handlers that are queued on one context have one cause, which is that the context does not run them.
  var causeIdentity: ObjectIdentifier {
    guard stage == .scheduled, let context else { return ObjectIdentifier(entry) }
    return context.identity ?? ObjectIdentifier(context)
  }

  /// - Parameter count: the number of handlers with the same cause.
  func causeSummary(count: Int) -> String {
    let label = promise.labelInReports.map { "\($0), " } ?? ""
    let others = count == 1 ? "" : " and \(count - 1) other\(count == 2 ? "" : "s")"
    return "the \(kind) of \(label)\(promise.origin)\(others), \(state(ofMany: count > 1))"
  }
}

extension AnyPromise {
  /// The handler of this entry, for which a settled promise has not finished. `nil` if the handler has returned.
  final var unfinishedHandler: UnreturnedHandler? {
    let stage = locked { relaxedState.stage }
    if stage == .ended || stage == .adopting { return nil }
    return UnreturnedHandler(entry: self, promise: settledByHandler ?? self, stage: stage, kind: handlerKind)
  }

  /// The handler of this entry, which settles a promise. `nil` if it has returned, or its source is not settled.
  final func unreturnedHandler(settling promise: AnyPromise) -> UnreturnedHandler? {
    unreturnedHandler(settling: promise, in: locked { relaxedState.stage })
  }

  /// - Parameter stage: the stage of this entry, which was read under its lock.
  final func unreturnedHandler(settling promise: AnyPromise, in stage: StateWord.Stage) -> UnreturnedHandler? {
    guard stage == .scheduled || stage == .running else { return nil }
    return UnreturnedHandler(entry: self, promise: promise, stage: stage, kind: "handler")
  }

  /// The settled promise whose outcome the handler of this entry receives.
  fileprivate final var handledSource: AnyPromise? { locked { unsafe link.pointee.source?.strong } }

  /// The time on the clock of the register when this promise was settled, if the register had it.
  fileprivate final var settledAt: Duration? { locked { side?.notes?.settledAt } }

  /// The handler of this entry in words.
  final var handlerName: String { "the \(handlerKind) of \((settledByHandler ?? self).origin)" }

  private final var handlerKind: String { traits.isOfCleanup ? "cleanup" : "handler" }

  fileprivate final var handlerContext: (any ExecutionContext)? {
    locked {
      #if DEBUG
        if let context = unsafe link.pointee.debugContext { return context }
      #endif
      return side?.notes?.enrollment?.context
    }
  }

  fileprivate final var ownerNode: WaitNode {
    WaitNode(
      .owner, operation: "Deferred", createdAt: createdAt, label: label, age: age,
      summary: "its owner, made at \(createdAt), which is alive and has not settled it")
  }

  fileprivate final func objectNode(_ object: any AnyObject & Sendable) -> WaitNode {
    WaitNode(
      .timer, operation: "\(type(of: object))", createdAt: createdAt, label: label, age: age,
      summary: "its timer, \(withArticle("\(type(of: object))")), set at \(createdAt)")
  }
}

/// As in "a ManualContext" and "an InlineContext".
func withArticle(_ type: String) -> String {
  // A recorder names a context for each link. `String.contains` would take a multiple of the rest.
  let isVowel = type.utf8.first.map { "AEIOU".utf8.contains($0) } ?? false
  return (isVowel ? "an " : "a ") + type
}
