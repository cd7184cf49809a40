@_exported import Foundation

public final class CFRunLoop {}
public final class CFString {}

public struct CFRunLoopMode: RawRepresentable, Hashable, Sendable {
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  public static let commonModes: CFRunLoopMode! = CFRunLoopMode(rawValue: CFString())
  public let rawValue: CFString
  public init(rawValue: CFString) { self.rawValue = rawValue }
  public static func == (one: CFRunLoopMode, other: CFRunLoopMode) -> Bool { true }
  public func hash(into hasher: inout Hasher) {}
}

extension CFString: @unchecked Sendable {}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func CFRunLoopGetCurrent() -> CFRunLoop! { fatalError() }
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CFRunLoopPerformBlock(_ loop: CFRunLoop!, _ mode: AnyObject!, _ block: (() -> Void)!) {}
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CFRunLoopWakeUp(_ loop: CFRunLoop!) {}
