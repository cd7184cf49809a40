import CAllocations
import Dispatch
import PromiseContexts

/// Measures M1, M2 and M3, and prints a line for each figure, which `bench` reads. The arguments select the gauges.
/// Without arguments it measures all of them. It prints no lines if the allocator cannot be counted.
///
/// Each figure has a small function of its own, like the code of a client, because the optimiser does less in a large
/// function.
@main
enum Memory {
  static func main() {
    guard allocations_are_counted() else { return }
    let wanted = CommandLine.arguments.dropFirst()
    for (id, measure) in [("M1", printPending), ("M2", printLink), ("M3", printHeld)]
    where wanted.isEmpty || wanted.contains(id) {
      measure()
    }
  }

  private static func printPending() {
    let pending = pending()
    let promise = pending.usable.max() ?? 0
    print("M1 allocations \(pending.count)")
    print("M1 promise bytes \(promise)")
    print("M1 owner bytes \(pending.usableBytes - promise)")
  }

  private static func printLink() {
    let link = link(adding: Int.random(in: 1...2))
    print("M2 allocations \(link.count)")
    print("M2 bytes \(link.usableBytes)")
  }

  private static func printHeld() {
    if let bytes = HeldPromises.bytesEach(of: 1_000_000) { print("M3 bytes \(bytes)") }
  }

  /// Counts the allocations of a pending promise and its owner.
  @inline(never)
  private static func pending() -> Allocations { Allocations.counted { Deferred<Int>() }.allocations }

  /// Counts the allocations of one link on a pending promise. The handler captures something, as nearly all handlers
  /// do.
  @inline(never)
  private static func link(adding number: Int) -> Allocations {
    let deferred = Deferred<Int>()
    let queue = DispatchQueue(label: "memory")
    return Allocations.counted { [number] in deferred.promise.map(on: queue) { $0 &+ number } }.allocations
  }
}
