// A parameter is `@Sendable` if the headers mark it with NS_SWIFT_SENDABLE.

@_exported import Foundation

open class NSManagedObjectContext: NSObject {
  public func perform(_ block: @escaping @Sendable () -> Void) {}
  public func performAndWait(_ block: () -> Void) {}

  public enum ScheduledTaskType { case immediate, enqueued }
  public func perform<T>(
    schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws -> T
  ) async rethrows -> T { fatalError() }

  public func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject { fatalError() }
}

public final class NSManagedObjectID: NSObject, @unchecked Sendable {}

open class NSManagedObject: NSObject {
  public func value(forKey key: String) -> Any? { nil }
}

#if SENDABLE
  extension NSManagedObjectContext: @unchecked Sendable {}
#endif
