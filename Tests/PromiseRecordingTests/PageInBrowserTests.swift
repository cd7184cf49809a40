import Foundation
import PromiseRecording
import TestSupport
import Testing

/// These tests need a Chromium. They are skipped without a Chromium, and then the page is not tested.
@Suite(
  "Pages in a browser", .slow, .serialized, .bounded,
  .enabled(if: Browser.path != nil, "No Chromium was found in PATH or CHROMIUM, so the page was NOT tested."))
struct PageInBrowserTests {
  @Test("A page of ten events finds a promise and shows the path of its rejection", arguments: [false, true])
  func ten(dark: Bool) throws {
    #expect(SampleRecordings.ten.events.count == 10)
    try inBrowser(SampleRecordings.ten, "find=show%20profile", dark: dark) { (browser: Browser) throws in
      let paper = try browser.value("getComputedStyle(document.body).backgroundColor") as? String
      #expect(paper == (dark ? "rgb(20, 22, 27)" : "rgb(255, 255, 255)"))
      #expect(try browser.text("#summary") == "4 promises · 10 events · 20 µs")
      #expect(try browser.text("#selected") == "show profile")
      #expect(try browser.texts("#path li .name") == ["Deferred load user", "map", "then show profile"])
      #expect(try browser.text("#text") == "URLError: the host example.com cannot be reached")
      #expect(try browser.texts("dd").contains("App/Profile.swift:40"))
    }
  }

  @Test("The page shows the causes of a pending promise, down to the last cause")
  func waiting() throws {
    var builder = RecordingBuilder()
    let show = builder.make("then", label: "show")
    let picture = builder.make("gate", label: "picture")
    let all = builder.make("all", picture, builder.make("Deferred"))
    builder.add(.waits(picture, text: "a place in the gate"))
    builder.fulfil(3)
    builder.run(show)
    builder.add(.adopted(show, adopted: all))
    try inBrowser(builder.recording, "find=show") { (browser: Browser) throws in
      #expect(try browser.texts("#waits .name") == ["all", "gate picture"])
      #expect(try browser.texts("#waits .operation").contains("a place in the gate"))
    }
  }

  @Test("A rejection that a handler has replaced begins with that handler's promise, and a recovery handles it")
  func handled() throws {
    var builder = RecordingBuilder()
    let load = builder.make("Deferred", label: "load")
    let retry = builder.make("recover", load)
    let show = builder.make("map", retry)
    let shown = builder.make("recover", show, label: "placeholder")
    builder.reject(load, "offline")
    builder.run(retry)
    for promise in [retry, show] { builder.reject(promise, "still offline") }
    builder.run(shown)
    builder.fulfil(shown)
    try inBrowser(builder.recording, "promise=\(show)") { (browser: Browser) throws in
      let path = try browser.texts("#path li .name")
      let handled = try browser.texts("#handled li .name")
      #expect(path == ["recover", "map"])
      #expect(handled == ["recover placeholder"])
    }
  }

  @Test("A page of 100,000 events opens, finds a promise and shows its chain", arguments: [false, true])
  func large(dark: Bool) throws {
    let recording = SampleRecordings.recording(eventCount: 100_000)
    #expect(recording.events.count == 100_000)
    try inBrowser(recording, "find=show%20user%20404", dark: dark) { (browser: Browser) throws in
      #expect(try browser.text("#summary")?.contains("100,000 events") == true)
      #expect(try browser.text("#selected") == "show user 404")
      let chain = try browser.texts("#chain li .name").prefix(3)
      #expect(chain == ["Deferred load user 404", "map", "then show user 404"])
      #expect(try browser.texts("#waits li .name") == ["map", "all"])
      try browser.press("Escape")
      try browser.press("Enter")
      // The list has elements only for the visible rows.
      #expect(try browser.texts(".row").count < 60)
      #expect(try browser.texts(".row[aria-selected=true] .name") == ["then show user 404"])
    }
  }

  @Test("A page of 100,000 events shows the gate for which a pending promise waits")
  func largeWaiting() throws {
    try inBrowser(SampleRecordings.recording(eventCount: 100_000)) { (browser: Browser) throws in
      _ = try browser.value("document.querySelector('.chip[value=pending]').click()")
      _ = try browser.value("applyFilter()")
      try browser.press("n")
      #expect(try browser.text("#count")?.hasSuffix("matches") == true)
      #expect(try browser.texts("#waits .operation").contains { $0.hasPrefix("a place in the gate") })
    }
  }

  @Test("A combinator may have more sources than a call may have arguments")
  func manySources() throws {
    var builder = RecordingBuilder()
    let source = builder.make("Deferred", label: "shared")
    _ = builder.make("all", of: Array(repeating: source, count: 300_000))
    try inBrowser(builder.recording, "find=all") { (browser: Browser) throws in
      let names = try browser.texts("#waits .name")
      #expect(names == ["Deferred shared"])
    }
  }

  @Test("A page can be operated with the keyboard alone")
  func keyboard() throws {
    try inBrowser(SampleRecordings.ten) { (browser: Browser) throws in
      _ = try browser.value("document.getElementById('tree').focus()")
      let selected = { try browser.texts(".row[aria-selected=true] .name") }
      for _ in 1...2 { try browser.press("ArrowDown") }
      #expect(try selected() == ["map"])
      try browser.press("ArrowLeft")
      #expect(try browser.texts(".row .name") == ["Deferred load user", "map", "gate"])
      try browser.press("ArrowRight")
      try browser.press("End")
      #expect(try selected() == ["gate"])
      let whole = try browser.value("span0()") as? Double ?? 0
      try browser.press("+")
      let part = try browser.value("span0()") as? Double ?? 0
      #expect(part < whole)
      try browser.press("/")
      #expect(try browser.value("document.activeElement.id") as? String == "search")
    }
  }

  @Test("Hostile texts appear as plain text", arguments: hostileTexts + [String(repeating: "<b>&\"'", count: 1 << 18)])
  func hostile(text: String) throws {
    var builder = RecordingBuilder()
    let promise = builder.make("map", label: text, type: text)
    builder.add(.cancelled(promise, reason: text, upstream: true))
    builder.add(.waits(builder.make("gate"), text: text, gate: Recording.Gate(id: 1, places: 1)))
    builder.run(promise, in: text)
    builder.reject(promise, text)
    try inBrowser(builder.recording, "promise=\(promise)", title: text) { (browser: Browser) throws in
      // Characters without a shape are displayed as signs, so the test compares only the others.
      let plain = text.unicodeScalars.filter { $0.isASCII && $0.value >= 32 && $0.value < 127 }.prefix(100)
      let shown = try browser.text("#text")?.unicodeScalars.filter { $0.isASCII } ?? []
      #expect(shown.starts(with: plain) || !text.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 32 })
      #expect(try browser.value("document.querySelectorAll('img, aside b b, aside script').length") as? Int == 0)
      #expect(try browser.value("document.title !== 'broken'") as? Bool == true)
      #expect(try browser.value("strings.includes(selected.label) && selected.text.length") as? Int == text.utf16.count)
    }
  }
}

/// Opens the page of a recording, and closes the browser after the closure has returned.
func inBrowser(
  _ recording: Recording, _ fragment: String = "", title: String = "Profile screen", dark: Bool = false,
  _ body: (Browser) throws -> Void
) throws {
  let file = try PageFile(recording, title: title)
  let browser = try Browser(dark: dark)
  try browser.open(file.address(fragment))
  try body(browser)
  #expect(browser.errors == [])
  try browser.close()
}
