import Foundation
import Testing

@testable import bench

@Suite("sizes with flags")
struct SizeTests {
  @Test("the benchmark weighs, and the tests are built, with the flags that the documentation gives")
  func flags() throws {
    for name in ["Docs/SmallerPrograms.md", "Makefile"] {
      let text = try String(contentsOf: Options.rootPackage.appending(path: name), encoding: .utf8)
      for flag in Gauge.flagsOfSmallerPrograms where flag != "-Xswiftc" && flag != "-Xlinker" && flag != "-Xfrontend" {
        #expect(text.contains(flag), "\(name) does not have \(flag)")
      }
    }
  }
}
