import PromiseCombinators
import TestSupport
import Testing

/// Cancels a promise when it is deallocated, as a bag that a client writes by hand.
private final class HandMadeBag: Sendable {
  let promise: AnyPromise
  let frames: Log<UInt>

  init(_ promise: AnyPromise, _ frames: Log<UInt>) { (self.promise, self.frames) = (promise, frames) }

  deinit {
    frames.append(addressOfFrame())
    promise.cancel()
  }
}

/// Returns an address in the stack frame of the caller, or near it.
private func addressOfFrame() -> UInt {
  var local = 0
  // Safe, because the address is only compared.
  return unsafe withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
}

/// Tests the paragraph of Docs/Guides/Cancellation.md on bags that are written by hand. CaptureDepthTests releases long
/// chains of the library's bags.
@Suite("The guide to cancellation: chains of bags") struct BagTests {
  /// Makes a chain of objects, each of which is retained by a handler that the next one cancels. Releases the last of
  /// them, and returns the size of the stack between their frames.
  private func stackSize(of count: Int) -> UInt {
    let frames = Log<UInt>()
    let works = (0..<count).map { _ in Deferred<Int>() }
    var last: HandMadeBag?
    for work in works {
      work.promise.onFulfilled { [last] _ in _ = last }
      last = HandMadeBag(work.promise, frames)
    }
    last = nil
    #expect(frames.entries.count == count)
    #expect(works.allSatisfy { $0.promise.isCancelled })
    return (frames.entries.max() ?? 0) - (frames.entries.min() ?? 0)
  }

  // In an optimized build the calls may be tail calls.
  #if DEBUG
    @Test("A chain of hand-made bags recurses in deinit")
    func recursion() {
      // 1,300 bytes for each of 200 objects are a stack of 256 kB.
      #expect(stackSize(of: 40) > stackSize(of: 10) + 30 * 1_300)
    }
  #endif
}
