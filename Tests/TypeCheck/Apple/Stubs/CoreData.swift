// Of the parameters `@Sendable` is what the headers say by NS_SWIFT_SENDABLE.

@_exported import Foundation

open class NSManagedObjectContext: NSObject {
  public func perform(_ block: @escaping @Sendable () -> Void) {}
  public func performAndWait(_ block: () -> Void) {}

  public enum ScheduledTaskType { case immediate, enqueued }
  public func perform<T>(
    schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws -> T
  ) async rethrows -> T { fatalError() }
}

#if SENDABLE
  extension NSManagedObjectContext: @unchecked Sendable {}
#endif
