import Foundation
import PromiseRecording
import TestSupport
import Testing

@Suite("Pages") struct PageTests {
  /// The page without data.
  private let source = Recording(events: [], duration: .zero).page(title: "")

  @Test("The page's own source uses no network, and interprets no text")
  func ownSource() {
    // The policy of the page forbids other sources.
    #expect(source.contains("default-src 'none'"))
    let forbidden = [
      "http:", "https:", " src=", "@import", "import(", "fetch(", "XMLHttpRequest", "WebSocket", "innerHTML",
      "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
    ]
    for word in forbidden { #expect(!source.contains(word), "\(word)") }
  }

  @Test("Hostile texts come back unchanged, and none ends its element", arguments: hostileTexts)
  func hostile(text: String) throws {
    var builder = RecordingBuilder()
    let promise = builder.make(text, label: text, type: text, context: text)
    builder.add(.cancelled(promise, reason: text, upstream: false))
    builder.add(.waits(promise, text: text))
    builder.run(promise, in: text)
    builder.reject(promise, text)
    let page = builder.recording.page(title: text)
    let data = try PageContents(page)
    #expect(data.title == text)
    #expect(Set(data.strings).subtracting([text]).allSatisfy { $0.hasPrefix("PromiseRecordingTests/") })
    #expect(data.strings.contains(text))
    #expect(page.components(separatedBy: "<script").count == page.components(separatedBy: "</script>").count)
  }

  @Test("Every event is in the page, with the nanoseconds since the event before it, in elements of at most 250 events")
  func events() throws {
    let data = try PageContents(SampleRecordings.ten.page(title: "Ten"))
    #expect(data.events.count == 10)
    #expect(data.events.map { $0[1] } == [0] + Array(repeating: 1000, count: 9))
    #expect(data.events.map { $0[2] } == Array(repeating: 1, count: 7) + [2, 2, 2])
    let large = try PageContents(SampleRecordings.recording(eventCount: 2000).page(title: ""))
    #expect(large.events.count == 2000)
    #expect(large.sizes.count >= 8)
    #expect(large.sizes.allSatisfy { $0 <= 250 })
  }

  @Test("A string that occurs often is written once")
  func table() throws {
    var builder = RecordingBuilder()
    for _ in 1...100 { builder.make("a rare operation") }
    let page = builder.recording.page(title: "")
    #expect(page.components(separatedBy: "a rare operation").count == 2)
  }
}

/// The data of a page, as a JSON parser reads it.
private struct PageContents {
  var title: String?
  var strings: [String] = []
  var events: [[Int]] = []
  /// The number of events in each script element.
  var sizes: [Int] = []

  init(_ page: String) throws {
    for part in page.components(separatedBy: "<script type=\"application/json\" ").dropFirst() {
      let text = try #require(part.split(separator: ">", maxSplits: 1).last)
      let json = try #require(text.components(separatedBy: "</script>").first)
      let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:]
      title = object["title"] as? String ?? title
      strings += object["strings"] as? [String] ?? []
      guard let events = object["events"] as? [[Int]] else { continue }
      self.events += events
      sizes.append(events.count)
    }
  }
}
