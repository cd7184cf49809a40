import Dispatch
import Testing

@testable import bench

extension CountingTests {
  @Suite("fans")
  struct FanTests {
    @Test("a fan of promises and a fan of groups give the sum that three levels have")
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

    @Test("all fans of a round are run, and a wrong result is an error")
    func rounds() throws {
      #expect(try Fans.measure(3, of: "promises", start: Fans.promises) > 0)
      #expect(throws: BenchError.self) { try Fans.measure(3, of: "wrong") { value, done in done(value) } }
    }
  }
}
