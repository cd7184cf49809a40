/// A list of events in order, to which any thread may append.
public final class Log<Entry: Sendable>: Sendable {
  private let storage = Locked<[Entry]>([])

  public init() {}

  public func append(_ entry: Entry) { storage.withLock { $0.append(entry) } }

  public var entries: [Entry] { storage.withLock { $0 } }
}
