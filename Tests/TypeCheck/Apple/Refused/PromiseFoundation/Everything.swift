// Code that must be refused when it is checked together with the sources. It shows that the check sees Apple's branches
// in the language of the package. If a condition were false, its line would not be refused.

#if canImport(Darwin)
  import CoreFoundation
  func inDarwin() -> Int { CFRunLoopGetCurrent() }  // expect: cannot convert return expression
#endif
#if canImport(ObjectiveC)
  import ObjectiveC
  func observed(_ progress: Progress) -> NSKeyValueObservation {
    var count = 0
    return progress.observe(\.fractionCompleted) { _, _ in count += 1 }  // expect: mutation of captured var 'count'
  }
#endif
#if canImport(CoreData)
  import CoreData
  func managed(_ context: NSManagedObjectContext) { context.execute() }  // expect: has no member 'execute'
#endif
#if canImport(UIKit)
  import UIKit
  func application() -> UIApplication { UIApplication.shared }  // expect: main actor-isolated class property 'shared'
#endif
#if canImport(Combine)
  import Combine
  func kept() -> Cancellable? { nil }  // expect: must be written 'any Cancellable
#endif
func pointed(_ pointer: UnsafePointer<Int>) -> Int { pointer.pointee }  // expect: not marked with 'unsafe'
