/// What one more takes of something that may be any number: inputs, steps, guests.
///
/// Eight of them are compared with sixteen. A block that comes with each comes eight times more; what comes once, or
/// now and then, as the storage of an array that grows, does not. Arrays take whatever room the allocator gives them
/// (`malloc_usable_size`), so whether one grows between the two depends on what the process did before.
struct Growth {
  /// The blocks for each, smallest first.
  let perStep: [Int]
  /// How many blocks more there are beside these.
  let others: Int
  /// How many blocks for each are still there at the end.
  let kept: Int

  @inline(never)
  static func counted<Result>(_ body: (Int) -> Result) -> Growth {
    let (less, more) = (
      Allocations.counted { body(few) }.allocations, Allocations.counted { body(2 * few) }.allocations
    )
    var counts: [Int: Int] = [:]
    for size in more.requested { counts[size, default: 0] += 1 }
    for size in less.requested { counts[size, default: 0] -= 1 }
    let perStep = counts.sorted { $0.key < $1.key }.flatMap { size, count in
      Array(repeating: size, count: max(0, rounded(count)))
    }
    return Growth(
      perStep: perStep, others: more.count - less.count - few * perStep.count,
      kept: rounded((more.count - more.releases) - (less.count - less.releases)))
  }

  /// What can be done to an object only once: all are made before.
  static func counted<Object>(of make: @autoclosure () -> Object, _ body: (Object) -> Void) -> Growth {
    let objects = (0..<6 * few).map { _ in make() }
    var next = 0
    return counted { count in
      for object in objects[next..<next + count] { body(object) }
      next += count
    }
  }

  private static let few = 8

  /// To the nearest.
  private static func rounded(_ count: Int) -> Int { (count + few / 2) / few }
}
