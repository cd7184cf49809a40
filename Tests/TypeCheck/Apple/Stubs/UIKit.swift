@_exported import Foundation

public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

@MainActor open class UIResponder: NSObject {}

@MainActor open class UIApplication: UIResponder {
  public class var shared: UIApplication { fatalError() }

  public nonisolated func beginBackgroundTask(
    withName name: String?, expirationHandler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { fatalError() }

  public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}
