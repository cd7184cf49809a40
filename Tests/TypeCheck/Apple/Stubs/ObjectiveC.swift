// The parts of Apple's Foundation that Foundation on Linux lacks, which are key-value observing, activities, selectors
// and the autorelease pool. URLSession belongs to Foundation there.

@_exported import Foundation
@_exported import FoundationNetworking

public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)
  public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)
  public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)
  public static let prior = NSKeyValueObservingOptions(rawValue: 1 << 3)
}

public struct NSKeyValueObservedChange<Value> {
  public let newValue: Value?
  public let oldValue: Value?
  public let isPrior: Bool
}

public class NSKeyValueObservation: NSObject {
  public func invalidate() {}
}

#if SENDABLE
  extension NSKeyValueObservation: @unchecked Sendable {}
#endif

// swift-format-ignore: NoLeadingUnderscores
public protocol _KeyValueCodingAndObserving {}

extension NSObject: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving {
  @preconcurrency
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation { fatalError() }
}

extension ProcessInfo {
  public struct ActivityOptions: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let idleSystemSleepDisabled = ActivityOptions(rawValue: 1 << 20)
    public static let userInitiated = ActivityOptions(rawValue: 0x00FF_FFFF)
    public static let background = ActivityOptions(rawValue: 0xFF)
  }

  public func beginActivity(options: ActivityOptions = [], reason: String) -> any NSObjectProtocol { fatalError() }
  public func endActivity(_ activity: any NSObjectProtocol) {}
}

public struct Selector: Sendable {
  public init(_ name: String) {}
}

extension NSObjectProtocol {
  public func responds(to selector: Selector!) -> Bool { fatalError() }
}

public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { fatalError() }
