import Foundation
import PromiseRecording
import Testing

/// A trace that a JSON parser has read, with queries for the tests.
struct ParsedTrace {
  /// One event.
  struct Event {
    let members: [String: Any]

    var name: String { members["name"] as? String ?? "" }
    var phase: String { members["ph"] as? String ?? "" }
    var category: String? { members["cat"] as? String }
    /// The time in microseconds.
    var time: Double? { members["ts"] as? Double }
    var duration: Double? { members["dur"] as? Double }
    var track: [Int] { [members["pid"], members["tid"]].compactMap { $0 as? Int } }
    var id: String? { members["id"].map { "\($0)" } }
    var arguments: [String: Any] { members["args"] as? [String: Any] ?? [:] }
    var end: Double { (time ?? 0) + (duration ?? 0) }

    func argument(_ name: String) -> String? { arguments[name] as? String }
  }

  let events: [Event]

  init(_ recording: Recording) throws {
    let object = try JSONSerialization.jsonObject(with: Data(recording.trace.utf8))
    let root = try #require(object as? [String: Any])
    #expect(root["displayTimeUnit"] as? String == "ns")
    events = try #require(root["traceEvents"] as? [[String: Any]]).map(Event.init)
  }

  /// Returns the events of a phase. The phase is "X" for a slice with a duration, "b" and "e" for an asynchronous
  /// slice, and "s" and "f" for a flow.
  func phase(_ phase: String) -> [Event] { events.filter { $0.phase == phase } }

  /// Returns the tracks of a process by their names.
  func tracks(of process: String) -> [String: [Int]] {
    let id = phase("M").first { $0.name == "process_name" && $0.argument("name") == process }?.track.first
    let names = phase("M").filter { $0.name == "thread_name" && $0.track.first == id }
    return Dictionary(uniqueKeysWithValues: names.map { ($0.argument("name") ?? "", $0.track) })
  }

  /// Returns the names of the slices of a track, in the order in which they begin.
  func slices(of track: [Int]?) -> [String] { phase("X").filter { $0.track == track }.map(\.name) }

  /// The violations of the description of the format, in words.
  var violations: [String] { events.flatMap(Self.missing) + asyncViolations + flowViolations + overlaps }

  private static func missing(_ event: Event) -> [String] {
    var found: [String] = []
    if event.members["name"] as? String == nil { found.append("no name") }
    if !["M", "X", "b", "e", "n", "s", "f"].contains(event.phase) { found.append("phase \(event.phase)") }
    if event.track.count != 2 { found.append("no pid or tid") }
    if event.time.map({ $0 < 0 }) ?? true { found.append("no time") }
    if "benfs".contains(event.phase), event.id == nil || event.category == nil { found.append("no id or category") }
    if event.phase == "X", event.duration.map({ $0 < 0 }) ?? true { found.append("no duration") }
    if event.phase == "f", event.members["bp"] as? String != "e" { found.append("the flow does not bind to its slice") }
    return found.map { "\(event.members): \($0)" }
  }

  /// The violations of the rule that every asynchronous slice has one beginning and one end, which is not earlier.
  private var asyncViolations: [String] {
    func identity(_ event: Event) -> String { "\(event.category ?? "") \(event.id ?? "")" }
    let begins = Dictionary(grouping: phase("b"), by: identity)
    let ends = Dictionary(grouping: phase("e"), by: identity)
    return Set(begins.keys).union(ends.keys).compactMap { id in
      guard let begin = begins[id], let end = ends[id], begin.count == 1, end.count == 1 else {
        return "\(id) does not have one beginning and one end"
      }
      return begin[0].name == end[0].name && begin[0].end <= end[0].end ? nil : "the ends of \(id) do not match"
    }
  }

  /// The violations of the rule that every flow has one start and one later end, each within a slice of its track.
  private var flowViolations: [String] {
    let ends = Dictionary(grouping: phase("f")) { $0.id ?? "" }
    let unpaired = phase("s").count == ends.count ? [] : ["flows without an end or a start"]
    return unpaired
      + phase("s").compactMap { start in
        guard let end = ends[start.id ?? ""]?.first, end.name == start.name else { return "a flow has no end" }
        guard start.end <= end.end else { return "a flow ends before its start" }
        return [start, end].allSatisfy(isInSlice) ? nil : "a flow has no slice"
      }
  }

  private func isInSlice(_ flow: Event) -> Bool {
    phase("X").contains { $0.track == flow.track && ($0.time ?? 0) <= flow.end && flow.end <= $0.end }
  }

  /// The violations of the rule that slices of one track nest. Each slice ends before the next begins, or contains the
  /// next.
  private var overlaps: [String] {
    var open: [[Int]: [Event]] = [:]
    return phase("X").sorted { ($0.time ?? 0) < ($1.time ?? 0) }.compactMap { slice in
      let enclosing = (open[slice.track] ?? []).filter { $0.end > slice.time ?? 0 }
      open[slice.track] = enclosing + [slice]
      return enclosing.allSatisfy { $0.end >= slice.end } ? nil : "\(slice.name) overlaps another slice"
    }
  }
}
