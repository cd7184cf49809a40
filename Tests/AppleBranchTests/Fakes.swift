public import Foundation
import TestSupport

// Stand-ins for Apple's declarations that the branches use. They behave as Apple's documentation says, and record
// calls.

/// A context that runs blocks in order on its own queue, as a private-queue context does.
public final class NSManagedObjectContext: NSObject, @unchecked Sendable {
  let queue = DispatchQueue(label: "managed")
  let performed = Locked(0)
  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  public override init() {
    super.init()
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
  }

  public func perform(_ block: @escaping @Sendable () -> Void) {
    performed.withLock { $0 += 1 }
    queue.async(execute: block)
  }

  /// Whether the caller runs in a block of this context.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }
}

typealias Activity = ProcessInfo.Activity

extension ProcessInfo {
  public struct ActivityOptions: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let userInitiated = ActivityOptions(rawValue: 0x00FF_FFFF)
    public static let background = ActivityOptions(rawValue: 0xFF)
  }

  public func beginActivity(options: ActivityOptions, reason: String) -> any NSObjectProtocol {
    let activity = Activity(options: options, reason: reason)
    Activity.begun.append(activity)
    return activity
  }

  public func endActivity(_ activity: any NSObjectProtocol) {
    if let activity = activity as? Activity { Activity.ended.append(activity) }
  }

  final class Activity: NSObject, Sendable {
    /// The activities of all tests. A test recognises its own by their reason.
    static let begun = Log<Activity>()
    static let ended = Log<Activity>()

    let options: ActivityOptions
    let reason: String

    init(options: ActivityOptions, reason: String) {
      self.options = options
      self.reason = reason
    }
  }
}

typealias ProgressObservation = Foundation.Progress.Observation

extension Foundation.Progress {
  public struct ObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let new = ObservingOptions(rawValue: 1)
    public static let initial = ObservingOptions(rawValue: 4)
  }

  public func observe(
    _ path: KeyPath<Foundation.Progress, Double>, options: ObservingOptions,
    changeHandler: @escaping @Sendable (Foundation.Progress, Void) -> Void
  ) -> Observation {
    let observation = Observation(of: self, changeHandler)
    Observation.begun.append(observation)
    if options.contains(.initial) { observation.notify() }
    return observation
  }

  /// An observation whose handler runs when a test calls `notify`.
  public final class Observation: Sendable {
    /// The observations of all tests. A test recognises its own by their progress.
    static let begun = Log<Observation>()

    let progress: Foundation.Progress
    private let handler: Locked<(@Sendable (Foundation.Progress, Void) -> Void)?>

    init(of progress: Foundation.Progress, _ handler: @escaping @Sendable (Foundation.Progress, Void) -> Void) {
      self.progress = progress
      self.handler = Locked(handler)
    }

    var isValid: Bool { handler.withLock { $0 != nil } }

    func notify() { handler.withLock { $0 }?(progress, ()) }

    public func invalidate() { handler.withLock { $0 = nil } }
  }
}

struct UIBackgroundTaskIdentifier: Hashable, Sendable {
  let rawValue: Int
  static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// An application whose time in the background is over when a test calls `expire`.
@MainActor final class UIApplication {
  static let shared = UIApplication()

  private(set) var names: [Int: String] = [:]
  private(set) var ended: [Int] = []
  private var expirations: [String: @MainActor @Sendable () -> Void] = [:]

  func beginBackgroundTask(
    withName name: String, expirationHandler: @escaping @MainActor @Sendable () -> Void
  ) -> UIBackgroundTaskIdentifier {
    let number = names.count + 1
    names[number] = name
    expirations[name] = expirationHandler
    return UIBackgroundTaskIdentifier(rawValue: number)
  }

  func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) { ended.append(identifier.rawValue) }

  var hasEndedInvalid: Bool { ended.contains(UIBackgroundTaskIdentifier.invalid.rawValue) }

  func expire(_ name: String) { expirations[name]?() }

  /// Returns how often tasks with this name were begun and ended.
  func counts(of name: String) -> [Int] {
    [names.values.count { $0 == name }, ended.count { names[$0] == name }]
  }
}
