import Foundation
import Testing

@testable import bench

@Suite("Sizes in the documentation")
struct SizeTests {
  @Test("The documentation and the proofs contain the flags with which the benchmark measures sizes")
  func flags() throws {
    for name in ["Docs/Reference/SmallerPrograms.md", "Scripts/proof.sh"] {
      let text = try contents(of: name)
      for flag in Gauge.flagsOfSmallerPrograms where flag != "-Xswiftc" && flag != "-Xlinker" && flag != "-Xfrontend" {
        #expect(text.contains(flag), "\(name) does not have \(flag)")
      }
    }
  }

  @Test("The sizes and compile times in the README agree with the results")
  func handTyped() throws {
    let results = try contents(of: "Docs/Reference/BenchmarkResults.md")
    // A paragraph may be broken anywhere.
    let readme = try contents(of: "README.md").replacing("\n", with: " ")
    let megabytes = try ["PromiseCore", "PromiseContexts, with PromiseCore", "PromiseCombinators, with both"].map {
      module in
      let row = try #require(results.split(separator: "\n").first { $0.hasPrefix("| \(module) |") })
      let bytes = try #require(Int(String(row.filter { $0.isNumber })))
      return String(format: "%.2f", Double(bytes) / 1_000_000)
    }
    #expect(readme.contains("\(megabytes[0]), \(megabytes[1]) or \(megabytes[2]) MB more"))
    let times = try #require(
      results.replacing("\n", with: " ").firstMatch(
        of: /takes (\d+) s of processor time in a debug build and (\d+) s in a release build/))
    #expect(readme.contains("\(times.1) s or \(times.2) s more"))
  }

  @Test("The page on smaller programs has the figures of the published run")
  func published() throws {
    let results = try contents(of: "Docs/Reference/BenchmarkResults.md")
    let page = try contents(of: "Docs/Reference/SmallerPrograms.md")
    for (figure, row) in [("S1 bytes", "| none |"), ("S1 bytes with flags", "| `-Osize` |")] {
      let line = try #require(results.split(separator: "\n").first { $0.hasPrefix("| \(figure) |") })
      let bytes = try #require(line.split(separator: "|").dropFirst().first).trimmingCharacters(in: .whitespaces)
      #expect(page.contains("\(row) \(bytes) |"))
    }
  }

  @Test("The size that CI accepts is at most 2 % above the published size")
  func acceptedSize() throws {
    let results = try contents(of: "Docs/Reference/BenchmarkResults.md")
    let line = try #require(results.split(separator: "\n").first { $0.hasPrefix("| S1 bytes |") })
    let column = try #require(line.split(separator: "|").dropFirst().first)
    let published = try #require(Int(column.filter(\.isNumber)))
    #expect(Gauge.mostBytes >= published)
    #expect(Gauge.mostBytes * 100 <= published * 102)
  }

  private func contents(of name: String) throws -> String {
    try String(contentsOf: Options.rootPackage.appending(path: name), encoding: .utf8)
  }
}
