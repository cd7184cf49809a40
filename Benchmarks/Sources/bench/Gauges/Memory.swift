// M1, M2 and M3 measure the requests to the allocator, by `malloc_usable_size`. Another program, `memory`, counts them,
// because the counter replaces `malloc` and `free`. In this program it costs W7s 3% more instructions, W4 2%, and the
// baseline of W4 only 1%.

extension Gauge {
  static let m1 = memory(
    "M1", "a pending Promise<Int> and its Deferred", names: ["allocations", "promise bytes", "owner bytes"])

  static let m2 = memory(
    "M2", "one link on it, and its handler's context", names: ["allocations", "bytes"])

  static let m3 = memory(
    "M3", "1,000,000 derived promises that are settled and held: bytes each", names: ["bytes"])

  private static func memory(_ id: String, _ title: String, names: [String]) -> Gauge {
    Gauge(id: id, title: title) { _ in
      let output = Command.output(of: [try Command.neighbour("memory"), id])
      guard let output else { throw BenchError.wrongResult("`memory` has failed") }
      // The output has lines such as "M1 promise bytes 72".
      let found = output.split(separator: "\n").map { $0.split(separator: " ") }
      return names.map { "\(id) \($0)" }.compactMap { name in
        let line = found.first { $0.dropLast().joined(separator: " ") == name }
        return line?.last.flatMap { Int($0) }.map { Figure(name: name, value: $0) }
      }
    }
  }
}
