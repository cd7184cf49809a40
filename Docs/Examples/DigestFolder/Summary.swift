/// The totals of many files. The printed text does not depend on the order in which reports are added.
struct Summary: Sendable {
  private(set) var files = 0
  private(set) var bytes = 0
  private(set) var digest: UInt64 = 0
  private(set) var largest: [FileReport] = []
  private(set) var unreadable: [FileReport] = []

  static func + (sum: Summary, report: FileReport) -> Summary {
    var sum = sum
    if report.problem == nil {
      sum.files += 1
      sum.bytes += report.size
      sum.digest &+= report.digest.value
      sum.largest.append(report)
    } else {
      sum.unreadable.append(report)
    }
    sum.keepLargest()
    return sum
  }

  private mutating func keepLargest() {
    largest.sort { ($1.size, $0.path) < ($0.size, $1.path) }
    largest = Array(largest.prefix(5))
  }
}

extension Summary: CustomStringConvertible {
  var description: String {
    var lines = ["\(files) files, \(bytes) bytes", "digest \(Digest.text(of: digest))"]
    if !largest.isEmpty {
      lines.append("largest:")
      lines += largest.map { "  \($0.path), \($0.size) bytes" }
    }
    if !unreadable.isEmpty {
      lines.append("unreadable:")
      lines += unreadable.sorted { $0.path < $1.path }.map { "  \($0.path): \($0.problem ?? "")" }
    }
    return lines.joined(separator: "\n")
  }
}
