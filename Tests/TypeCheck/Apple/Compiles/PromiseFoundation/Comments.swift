// How Apple's branches are used, and the code in their comments. Type-checked against stubs, and never run: these are no tests of what
// they do.

#if canImport(CoreData)
  import CoreData
  import PromiseContexts

  func save(_ users: [String]) throws {}

  /// Row H5.
  func saved(_ users: Promise<[String]>, in context: NSManagedObjectContext) -> Promise<[String]> {
    users.tap(on: .managed(context)) { users in try save(users) }
  }

  /// Row H5.
  func counted(in context: NSManagedObjectContext) -> Promise<Int> { context.promise { _ in 1 } }
#endif

#if canImport(ObjectiveC)
  import Foundation
  import ObjectiveC
  import PromiseContexts

  /// Row N8.
  func watched(_ progress: Progress) -> Promise<Int> {
    let deferred = Deferred<Int>()
    deferred.report(observing: progress)
    return deferred.promise
  }

  /// Row H8.
  func awake(_ work: Promise<Int>) -> Promise<Int> { work.holdingActivity(reason: "saving") }
#endif

#if canImport(UIKit)
  /// Rows H8 L11.
  @MainActor func afterTheUserHasLeft(_ work: Promise<Int>) -> Promise<Int> {
    work.protectedInBackground(named: "saving")
  }
#endif

#if canImport(Combine)
  import Combine

  /// Row L15.
  func published(_ work: Promise<Int>) -> Promise<Int> { work.publisher.firstValue() }
#endif
