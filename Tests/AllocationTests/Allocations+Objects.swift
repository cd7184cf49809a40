import PromiseCore
import Testing

extension Allocations {
  /// Counts the allocations of a call that can be made only once for each object. Makes two objects beforehand, because
  /// `counted` runs the code twice.
  @inline(never)
  static func counted<Object, Result>(
    of make: @autoclosure () -> Object, _ body: (Object) -> Result
  ) -> (result: Result, allocations: Allocations) {
    let objects = [make(), make()]
    var index = 0
    return counted {
      defer { index += 1 }
      return body(objects[index])
    }
  }

  /// The sizes without blocks of 64 bytes, which Dispatch allocates for its records of enqueued blocks. A thread that
  /// has run blocks before has a cache of such records, and another thread allocates one, so tests ignore them.
  var withoutContinuations: [Int] { requested.filter { $0 != 64 } }

  /// Returns the sizes of the blocks that this code requested and the other code did not.
  func requested(beside other: Allocations) -> [Int] {
    var blocks = withoutContinuations
    for block in other.withoutContinuations {
      if let index = blocks.firstIndex(of: block) { blocks.remove(at: index) }
    }
    return blocks
  }
}

/// Creates an owner, and passes its promise to a closure.
func owned<Value, Derived>(_ derive: (Promise<Value>) -> Derived) -> (owner: Deferred<Value>, derived: Derived) {
  let owner = Deferred<Value>()
  return (owner, derive(owner.promise))
}

/// A number of blocks and the sum of their sizes.
struct Blocks: Equatable {
  let count: Int
  let bytes: Int

  init(_ count: Int, bytes: Int) {
    self.count = count
    self.bytes = bytes
  }
}

extension [Int] {
  /// The number and the sum of these sizes.
  var total: Blocks { Blocks(count, bytes: reduce(0, +)) }
}

/// Expects that the code requests blocks of these sizes. It is for few blocks. Returns its result.
@discardableResult
@inline(never)
func expectAllocations<Result>(
  _ sizes: [Int], sourceLocation: SourceLocation = #_sourceLocation, _ body: () -> Result
) -> Result {
  let (result, allocations) = Allocations.counted(body)
  #expect(allocations.requested == sizes, sourceLocation: sourceLocation)
  return result
}

/// Expects that a call that can be made only once for each object requests blocks of these sizes. It is for few blocks.
/// Returns its result.
@discardableResult
@inline(never)
func expectAllocations<Object, Result>(
  _ sizes: [Int], of make: @autoclosure () -> Object, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (Object) -> Result
) -> Result {
  let (result, allocations) = Allocations.counted(of: make(), body)
  #expect(allocations.requested == sizes, sourceLocation: sourceLocation)
  return result
}

/// Expects that the code requests these numbers of blocks and bytes. A failure shows the sizes. Returns its result.
@discardableResult
@inline(never)
func expectAllocations<Result>(
  blocks: Int, bytes: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () -> Result
) -> Result {
  let (result, allocations) = Allocations.counted(body)
  expectTotal(of: allocations.requested, blocks, bytes, sourceLocation)
  return result
}

/// Expects that a call that can be made only once for each object requests these numbers of blocks and bytes. A failure
/// shows the sizes. Returns its result.
@discardableResult
@inline(never)
func expectAllocations<Object, Result>(
  blocks: Int, bytes: Int, of make: @autoclosure () -> Object, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (Object) -> Result
) -> Result {
  let (result, allocations) = Allocations.counted(of: make(), body)
  expectTotal(of: allocations.requested, blocks, bytes, sourceLocation)
  return result
}

/// Expects these numbers of blocks and bytes.
func expectTotal(of sizes: [Int], _ blocks: Int, _ bytes: Int, _ sourceLocation: SourceLocation) {
  #expect(sizes.total == Blocks(blocks, bytes: bytes), "\(sizes)", sourceLocation: sourceLocation)
}
