import Synchronization

/// Promises whose job was dropped unrun by its context, and that are rejected for it (rule 6.2).
///
/// A link learns of it in its `deinit`, and rejecting there may fire further links, which the same context may drop as
/// well, and so on for the length of a chain. So the promises are stacked, and whoever stacks the first one settles
/// until the stack is empty. (A thread that finds another at work leaves its promise to that one.)
enum DroppedPromises {
  /// A Treiber stack of retained boxes; only the one worker pops, and it takes everything by one exchange.
  private static let stack = Atomic<UInt64>(0)
  private static let isWorking = Atomic<Bool>(false)

  private final class Box {
    let promise: AnyPromise
    var next: UInt64 = 0
    init(_ promise: AnyPromise) { self.promise = promise }
  }

  @inline(never)
  static func reject(_ promise: AnyPromise) {
    push(Box(promise))
    // Sequentially consistent, here and below: who finds a worker has pushed before that worker's last look at the stack.
    while stack.load(ordering: .sequentiallyConsistent) != 0,
      !isWorking.exchange(true, ordering: .sequentiallyConsistent)
    {
      work()
      isWorking.store(false, ordering: .sequentiallyConsistent)
    }
  }

  private static func push(_ box: Box) {
    let address = unsafe UInt64(UInt(bitPattern: Unmanaged.passRetained(box).toOpaque()))
    var head = stack.load(ordering: .relaxed)
    while true {
      box.next = head
      let (exchanged, found) = stack.compareExchange(
        expected: head, desired: address, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged { return }
      head = found
    }
  }

  private static func work() {
    while true {
      // Acquiring: the boxes become ours.
      var head = stack.exchange(0, ordering: .acquiringAndReleasing)
      if head == 0 { return }
      while head != 0 {
        let box = unsafe Unmanaged<Box>.at(head).takeRetainedValue()
        head = box.next
        let promise = box.promise
        if promise.claim(
          rejecting: PromiseError.contextDropped(createdAt: CreationSite(promise.site)), cancelled: false)
        {
          promise.publish()
        }
      }
    }
  }
}
