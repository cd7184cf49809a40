// Uses of Apple's branches, and the code in their comments. They are type-checked against stubs and never run, so they
// do not test behaviour.

#if canImport(CoreData)
  import CoreData
  import PromiseContexts

  func save(_ users: [String]) throws {}

  func saved(_ users: Promise<[String]>, in context: NSManagedObjectContext) -> Promise<[String]> {
    users.tap(on: .managed(context)) { users in try save(users) }
  }

  func counted(in context: NSManagedObjectContext) -> Promise<Int> { context.promise { _ in 1 } }
#endif

#if canImport(ObjectiveC)
  import Foundation
  import ObjectiveC
  import PromiseContexts

  func watched(_ progress: Progress) -> Promise<Int> {
    let deferred = Deferred<Int>()
    deferred.report(observing: progress)
    return deferred.promise
  }

  func awake(_ work: Promise<Int>) -> Promise<Int> { work.holdingActivity(reason: "saving") }
#endif

#if canImport(UIKit)
  @MainActor func afterTheUserHasLeft(_ work: Promise<Int>) -> Promise<Int> {
    work.protectedInBackground(named: "saving")
  }
#endif

#if canImport(Combine)
  import Combine

  func published(_ work: Promise<Int>) -> Promise<Int> { work.publisher.firstValue() }
#endif
