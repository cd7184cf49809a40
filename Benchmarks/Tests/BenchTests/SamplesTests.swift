import Testing

@testable import bench

@Suite("samples")
struct SamplesTests {
  @Test("the median is the middle one, of an even number the mean of the two in the middle")
  func median() {
    #expect(samples(3, 1, 2).median == 2)
    #expect(samples(4, 1, 3, 2).median == 2.5)
    #expect(samples(7).median == 7)
  }

  @Test("the least and the most are found, whatever the order")
  func ends() {
    #expect(samples(3, 1, 2).minimum == 1)
    #expect(samples(3, 1, 2).maximum == 3)
  }

  @Test("of no samples nothing is a number")
  func none() {
    #expect(samples().median.isNaN && samples().minimum.isNaN && samples().maximum.isNaN)
  }

  private func samples(_ times: Double...) -> Samples {
    times.reduce(into: Samples()) { $0.append($1) }
  }
}
