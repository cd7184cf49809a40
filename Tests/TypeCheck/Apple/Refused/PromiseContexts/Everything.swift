// Code that must be refused when it is checked together with the sources. It shows that the check sees Apple's branches
// in the language of the package. If a condition were false, its line would not be refused.

#if canImport(Darwin)
  import Darwin
  func state(of info: thread_basic_info) -> String { info.run_state }  // expect: cannot convert return expression
#endif
#if canImport(ObjectiveC)
  import ObjectiveC
  func pooled() -> Int { autoreleasepool { "" } }  // expect: cannot convert value of type 'String'
#endif
