// The code in the comments of Apple's branches.

#if canImport(CoreData)
  import CoreData
  import PromiseContexts

  func save(_ users: [String]) throws {}

  func saved(_ users: Promise<[String]>, in context: NSManagedObjectContext) -> Promise<[String]> {
    users.tap(on: .managed(context)) { users in try save(users) }
  }
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
#endif
