/// One thing for which a promise waits that is pending or has not finished, as part of a tree. ``AnyPromise/waitsFor`` returns such trees.
///
/// ```swift
/// for node in answer.waitsFor { print(node) }
/// // waits for Promise<String>, Shop/Server.swift:40
/// //   waits for its owner, made at Shop/Server.swift:40, which is alive and has not settled it
/// ```
public struct WaitNode: Sendable {
  /// The kind of thing. A `switch` over it needs a `default`, because a minor version may add kinds.
  public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind, such as `owner`.
    public let rawValue: String

    /// Creates a kind with a name, such as one that a program has encoded.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name of the kind.
    public var description: String { rawValue }

    /// Another promise: the source of a link, a promise that a handler has returned, a promise that the owner follows,
    /// an input of a combinator, or a cleanup.
    public static let promise = Kind(rawValue: "promise")
    /// The owner, which has to settle its ``Deferred``.
    public static let owner = Kind(rawValue: "owner")
    /// A handler that is queued on its context, or running there.
    public static let handler = Kind(rawValue: "handler")
    /// A Task that has to return.
    public static let task = Kind(rawValue: "task")
    /// A timer.
    public static let timer = Kind(rawValue: "timer")
    /// A place in a gate.
    public static let gate = Kind(rawValue: "gate")
    /// Nodes that were left out, because the tree is too large.
    public static let omitted = Kind(rawValue: "omitted")
    /// A hook of the owner of a settled promise, which has not returned, or whose promise has not finished.
    public static let hook = Kind(rawValue: "hook")
  }

  /// The kind of thing.
  public var kind: Kind { storage.kind }
  /// The operator or the type that made it, as in "map", "all" or "Deferred". `nil` if that is not known.
  public var operation: String? { storage.operation }
  /// The place in the source where it was made. `nil` if that is not known.
  public var createdAt: CreationSite? { storage.createdAt }
  /// The label that the program has given it.
  public var label: String? { storage.label }
  /// The time since it was made. Known of promises that were made while `Diagnostics.recordsPendingPromises` was on.
  public var age: Duration? { storage.age }
  /// Describes this node alone, in one line.
  public var summary: String { storage.summary }
  /// The things for which this one waits.
  public var waitsFor: [WaitNode] { storage.waitsFor }

  private let storage: Storage

  /// The properties, in one object, because code that copies seven properties is long.
  private final class Storage: Sendable {
    let kind: Kind
    let operation: String?
    let createdAt: CreationSite?
    let label: String?
    let age: Duration?
    let summary: String
    let waitsFor: [WaitNode]

    init(
      _ kind: Kind, operation: String?, createdAt: CreationSite?, label: String?, age: Duration?, summary: String,
      waitsFor: [WaitNode]
    ) {
      self.kind = kind
      self.operation = operation
      self.createdAt = createdAt
      self.label = label
      self.age = age
      self.summary = summary
      self.waitsFor = waitsFor
    }
  }

  @inline(never)
  package init(
    _ kind: Kind, operation: String? = nil, createdAt: CreationSite? = nil, label: String? = nil, age: Duration? = nil,
    summary: String, waitsFor: [WaitNode] = []
  ) {
    storage = Storage(
      kind, operation: operation, createdAt: createdAt, label: label, age: age, summary: summary, waitsFor: waitsFor)
  }

  /// The lines that describe this node and everything below it, each with its depth.
  package func lines(at depth: Int = 0) -> [(depth: Int, text: String)] {
    [(depth, kind == .omitted ? summary : "waits for \(summary)")] + waitsFor.flatMap { $0.lines(at: depth + 1) }
  }
}

extension WaitNode: CustomStringConvertible {
  /// Describes this node and everything for which it waits, one line for each.
  public var description: String {
    lines().map { String(repeating: "  ", count: $0.depth) + $0.text }.joined(separator: "\n")
  }
}

/// Something other than a promise for which a pending promise waits, such as a timer or a place in a gate.
package protocol AwaitedResource: AnyObject, Sendable {
  /// Names this resource, without its state, for a promise that is recorded. Called under no lock. In O(1).
  func name(for promise: AnyPromise) -> String

  /// Describes this resource as far as it concerns a promise. Called under no lock.
  func waitNode(for promise: AnyPromise) -> WaitNode

  /// The promises of the operations that have this resource, and for whose end others wait. Called under no lock.
  var holders: [AnyPromise] { get }

  /// The resource that stands for this one and others in a search for causes.
  var sharedResource: any AwaitedResource { get }

  /// Whether promises wait for it even if no operation has it. Called under no lock.
  var isItselfCause: Bool { get }

  /// The name of the resource, as in `the ConcurrencyLimit "disk" made at Shop/Disk.swift:9`.
  func causeName(for promise: AnyPromise) -> String

  /// Describes this resource and its state apart from the promises that wait. Called under no lock.
  func causeSummary(for promise: AnyPromise) -> String

  /// The number of places, if the promise waits for a place in this gate. `.max` if any number of operations may be
  /// inside. `nil` if operations hold no places.
  var placeCount: Int? { get }

  /// Promises and finishes for which this resource stands, as ``AnyPromise/unfinishedWork`` returns them. Their waits are
  /// shown in its place. Called under no lock.
  var awaitedWork: [AnyObject] { get }

  /// The operator that reports name for promises without one that wait for this resource.
  var maker: Operation { get }
}

extension AwaitedResource {
  package var holders: [AnyPromise] { [] }
  package var sharedResource: any AwaitedResource { self }
  package var isItselfCause: Bool { false }
  package func causeName(for promise: AnyPromise) -> String { name(for: promise) }
  package func causeSummary(for promise: AnyPromise) -> String { waitNode(for: promise).summary }
  package var placeCount: Int? { nil }
  package var awaitedWork: [AnyObject] { [] }
}

/// A context with a name of its own in descriptions.
package protocol NamedContext: ExecutionContext {
  /// As in "the main queue".
  var contextName: String { get }
}

extension ExecutionContext {
  /// The name of this context in descriptions.
  package var nameInReports: String {
    if let named = self as? any NamedContext { return named.contextName }
    if let described = self as? any CustomStringConvertible { return described.description }
    return withArticle("\(type(of: self))")
  }
}
