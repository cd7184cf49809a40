import Dispatch
import Testing

@testable import bench

extension CountingTests {
  @Suite("Fans of three levels")
  struct FanTests {
    @Test("A fan of promises and a fan of groups produce the sum of three levels")
    func results() async {
      #expect(Fans.result == 32 * (32 * (32 * 1 + 496) + 496) + 496)
      let promises = await withCheckedContinuation { end in Fans.promises(1) { end.resume(returning: $0) } }
      #expect(promises == Fans.result)
      let queue = DispatchQueue(label: "test", attributes: .concurrent)
      let groups = await withCheckedContinuation { end in
        Fans.groups(1, on: queue, levels: 3) { end.resume(returning: $0) }
      }
      #expect(groups == Fans.result)
      #expect(await Fans.taskGroup(1) == 32 + 496)
    }

    @Test("measure returns the time of a round of fans, and throws if a result is wrong")
    func rounds() throws {
      #expect(try Fans.measure(3, of: "promises", start: Fans.promises) > 0)
      #expect(throws: BenchError.self) { try Fans.measure(3, of: "wrong") { value, done in done(value) } }
    }
  }
}
