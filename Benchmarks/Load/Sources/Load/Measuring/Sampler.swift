import Foundation

/// Writes the figures of the process and of the loads as lines of a CSV file, one for each interval.
final class Sampler {
  private let loads: [any Load]
  private let output: FileHandle?
  private let start = ContinuousClock.now
  private var last: ContinuousClock.Instant
  private var ended: [Int]

  static let percentiles = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)]

  /// - Parameter file: the path of the file. With `nil`, nothing is written.
  init(_ loads: [any Load], file: String?) throws {
    self.loads = loads
    last = start
    ended = loads.map { $0.tally.counts.ended }
    if let file {
      guard FileManager.default.createFile(atPath: file, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
      output = FileHandle(forWritingAtPath: file)
    } else {
      output = nil
    }
    let columns = loads.flatMap { load in
      ["\(load.name) per second"] + Self.percentiles.map { "\(load.name) \($0.0) ms" }
    }
    write(["seconds", "live promises", "resident MB", "allocated MB", "descriptors", "threads"] + columns)
  }

  /// Writes a line about the time since the last one.
  func sample() {
    let now = ContinuousClock.now
    let passed = last.duration(to: now).seconds
    last = now
    let figures = ProcessFigures.now
    var fields = [
      text(start.duration(to: now).seconds, digits: 1), "\(livePromises)", megabytes(figures.resident),
      megabytes(figures.allocated),
      "\(figures.descriptors)", "\(figures.threads)",
    ]
    for (index, load) in loads.enumerated() {
      let count = load.tally.counts.ended
      fields.append(text(Double(count - ended[index]) / passed, digits: 1))
      ended[index] = count
      let durations = load.tally.takeDurations()
      fields += Self.percentiles.map { durations.percentile($0.1).map { text($0.seconds * 1_000, digits: 6) } ?? "" }
    }
    write(fields)
  }

  func close() { try? output?.close() }

  /// The promises of the population of chains. Those of other loads are few.
  private var livePromises: Int {
    let counts = loads.first { $0 is ChainLoad }?.tally.counts ?? Tally.Counts()
    return (counts.begun - counts.ended) * ChainLoad.promisesPerChain
  }

  private func write(_ fields: [String]) {
    try? output?.write(contentsOf: Data((fields.joined(separator: ",") + "\n").utf8))
  }

  private func megabytes(_ bytes: Int) -> String { text(Double(bytes) / 1e6, digits: 3) }

  private func text(_ number: Double, digits: Int) -> String { String(format: "%.\(digits)f", number) }
}
