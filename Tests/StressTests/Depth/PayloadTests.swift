import Foundation
import TestSupport
import Testing

struct Page: Sendable {
  let text: String
  let next: Promise<Page>?
}

extension Stress {
  @Suite("Depth: values that hold promises")
  struct PayloadTests {
    @Test("2,000 nested values that each hold the next promise are released within two megabytes of stack")
    func pages() async {
      let isReleased = Answer<Bool>()
      await withCheckedContinuation { continuation in
        // Each level takes 480 bytes in a debug build. Sanitizers take a multiple of that.
        let thread = Thread {
          let census = Tracked.Census()
          do {
            var first = Promise.fulfilled(Page(text: "last", next: nil))
            for number in 0..<2_000 { first = .fulfilled(Page(text: "\(number)", next: first)) }
            let tracked = Promise.fulfilled((first, Tracked(census)))
            isReleased(tracked.isFulfilled && census.living == 1)
          }
          if census.living != 0 { isReleased(false) }
          continuation.resume()
        }
        thread.stackSize = 2 << 20
        thread.start()
      }
      #expect(isReleased.value == true)
    }
  }
}
