#if os(Linux)
  import Foundation

  /// Returns the number of descriptors that this process has open.
  package func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }
#endif
