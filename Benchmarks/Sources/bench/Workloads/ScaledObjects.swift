import Synchronization

// These subjects of W13 with two threads only make and release objects, of the number and the sizes of those that chains
// allocate in which nothing is held. The machine and its allocator limit the gain of these subjects.

extension Subject {
  static let objectsOfOneThread = Subject(.objectsBaseline) { try ScaledObjects.measure($0, threads: 1) }
  static let objectsOfTwoThreads = Subject(.objects) { try ScaledObjects.measure($0, threads: 2) }
}

enum ScaledObjects {
  /// The number of objects of a chain, which are three for each link, and the root with its owner.
  static let objectsOfChain = 3 * Chain.links + 2

  /// Returns nanoseconds of wall time per link, for objects alone.
  static func measure(_ count: Int, threads: Int) throws -> Double {
    let share = count / Chain.links / threads
    let sum = Atomic<Int>(0)
    let time = WorkerThreads.nanoseconds(per: count, threads: threads) { _ in
      sum.add(run(share), ordering: .relaxed)
    }
    // Relaxed, because the end of all threads orders the access.
    let found = sum.load(ordering: .relaxed)
    guard found == count / Chain.links * objectsOfChain else {
      throw BenchError.wrongResult("objects, by \(threads) threads: \(found) made for \(count) links")
    }
    return time
  }

  /// Makes and releases objects, and returns their number, as the sum of the numbers in them.
  @inline(never)
  static func run(_ chains: Int) -> Int {
    var objects: [Block] = []
    objects.reserveCapacity(objectsOfChain)
    var sum = 0
    for _ in 0..<chains {
      objects.append(PromiseSized())
      objects.append(Block())
      for _ in 0..<Chain.links {
        objects.append(LinkSized())
        objects.append(Block())
        objects.append(JobSized())
      }
      for object in objects { sum += object.number }
      objects.removeAll(keepingCapacity: true)
    }
    return sum
  }

  /// An object of 24 bytes, like an owner or the context of a closure that captures a word.
  private class Block {
    final var number = 1
  }

  /// An object of 72 bytes, like a pending promise.
  private final class PromiseSized: Block {
    var rest = (0, 0, 0, 0, 0, 0)
  }

  /// An object of 168 bytes, like a link with its promise.
  private final class LinkSized: Block {
    var rest = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  }

  /// An object of 40 bytes, like a job on a context of a client.
  private final class JobSized: Block {
    var rest = (0, 0)
  }
}
