import Testing

@testable import bench

@Suite("Comparisons of two commits")
struct ComparisonTests {
  @Test("The ratio is that of the library in each pair, beside that of the baseline")
  func ratios() {
    let comparison = comparison([(base: 100, own: 150), (base: 200, own: 240)])
    #expect(comparison.ratios == [1.5, 1.2])
    #expect(comparison.baselineRatios == [1, 1])
    #expect(comparison.base(\.median) == 150)
    #expect(comparison.own(\.median) == 195)
    #expect(comparison.slowerCount == 2)
  }

  @Test("The verdict needs a majority that chance gives in less than one of 20 measurements")
  func verdict() {
    func verdict(slower: Int, faster: Int) -> String {
      let slow = Array(repeating: (base: 100.0, own: 110.0), count: slower)
      let fast = Array(repeating: (base: 100.0, own: 90.0), count: faster)
      return comparison(slow + fast).verdict
    }
    #expect(verdict(slower: 10, faster: 2) == "slower")
    #expect(verdict(slower: 9, faster: 3) == "cannot tell")
    #expect(verdict(slower: 2, faster: 10) == "faster")
    #expect(verdict(slower: 5, faster: 0) == "cannot tell")
    #expect(verdict(slower: 6, faster: 0) == "slower")
  }

  @Test("The chance is that of a fair coin")
  func chance() {
    #expect(Comparison.chance(ofAtMost: 0, of: 2) == 0.5)
    #expect(Comparison.chance(ofAtMost: 1, of: 4) == 0.625)
    #expect(Comparison.chance(ofAtMost: 2, of: 4) == 1)
  }

  @Test("The table has the verdict and the number of pairs that are slower")
  func table() {
    let text = Table([comparison([(base: 100, own: 150), (base: 200, own: 240)])]).markdown
    #expect(text.hasSuffix("| 1.35 | 1.20–1.50 | 1.00–1.00 | 2 of 2 | cannot tell |"))
  }

  private func comparison(_ pairs: [(base: Double, own: Double)]) -> Comparison {
    func session(_ time: Double) -> Session {
      .made([(.gcd, Timing(nanosecondsPerUnit: 50)), (.promise, Timing(nanosecondsPerUnit: time))])
    }
    return Comparison(
      workload: .made(), pairs: pairs.map { Comparison.Pair(base: session($0.base), own: session($0.own)) })
  }
}
