import Testing

/// The allocations of each further element of an operation that takes any number of elements, such as inputs, steps or
/// operations at a gate.
///
/// An operation with 8 elements is compared with an operation with 16 elements. A block that each element needs occurs
/// eight times more often. A block that occurs once, or now and then, such as the growing storage of an array, does
/// not. An array uses all the room that the allocator gives it (`malloc_usable_size`), so whether it grows between the
/// two depends on the history of the process.
struct Growth {
  /// The sizes of the blocks for each element, in ascending order.
  let perStep: [Int]
  /// How many more blocks the larger operation requested besides these.
  let others: Int
  /// How many blocks each element retains at the end.
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

  /// Counts the allocations of a call that can be made only once for each object. Makes all objects beforehand.
  static func counted<Object>(of make: @autoclosure () -> Object, _ body: (Object) -> Void) -> Growth {
    let objects = (0..<6 * few).map { _ in make() }
    var next = 0
    return counted { count in
      for object in objects[next..<next + count] { body(object) }
      next += count
    }
  }

  /// Expects that each further element needs blocks of these sizes. It is for few blocks. If `kept` is given, it is the number of blocks that
  /// each element retains.
  @inline(never)
  static func expect<Result>(
    perStep sizes: [Int], kept: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: (Int) -> Result
  ) {
    let growth = counted(body)
    #expect(growth.perStep == sizes, sourceLocation: sourceLocation)
    if let kept { #expect(growth.kept == kept, sourceLocation: sourceLocation) }
  }

  /// Expects that each further element needs these numbers of blocks and bytes. A failure shows the sizes. If `kept` is given, it
  /// is the number of blocks that each element retains.
  @inline(never)
  static func expect<Result>(
    blocksPerStep blocks: Int, bytes: Int, kept: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (Int) -> Result
  ) {
    let growth = counted(body)
    expectTotal(of: growth.perStep, blocks, bytes, sourceLocation)
    if let kept { #expect(growth.kept == kept, sourceLocation: sourceLocation) }
  }

  private static let few = 8

  /// Divides by the number of additional elements and rounds to the nearest integer.
  private static func rounded(_ count: Int) -> Int { (count + few / 2) / few }
}
