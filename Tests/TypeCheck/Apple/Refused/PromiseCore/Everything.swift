// Code that must be refused when it is checked together with the sources. It shows that the check sees Apple's branches
// in the language of the package. If a condition were false, its line would not be refused.

#if canImport(Darwin)
  import Darwin
  func status() -> String { KERN_SUCCESS }  // expect: cannot convert return expression
#endif
func pointed(_ pointer: UnsafePointer<Int>) -> Int { pointer.pointee }  // expect: not marked with 'unsafe'
