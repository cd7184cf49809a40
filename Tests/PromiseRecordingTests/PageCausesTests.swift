import Foundation
import PromiseCombinators
import PromiseRecording
import TestSupport
import Testing

/// These tests need a Chromium. They are skipped without a Chromium, and then the page is not tested.
@Suite(
  "Causes on pages", .slow, .serialized, .bounded,
  .enabled(if: Browser.path != nil, "No Chromium was found in PATH or CHROMIUM, so the page was NOT tested."))
struct PageCausesTests {
  private let disk = Recording.Gate(id: 1, places: 1)
  private let diskName = "SerialGate \"disk\" made at App/Disk.swift:4"

  @Test("The page opens with the causes of what is pending, the greatest first, and each selects its row")
  func causes() throws {
    var story = Story()
    let news = story.make("Deferred", label: "GET /news")
    let token = story.make("Deferred", label: "POST /token")
    let shield = story.make("shielded", token)
    var requests: [Recording.ID] = []
    for number in 1...3 { requests.append(story.make("then", shield, label: "GET /items/\(number)", context: "pool")) }
    let all = story.make("all", of: requests + [news])
    let timers = [story.make("delay"), story.make("delay")]
    for timer in timers { story.add(.waits(timer, text: "its timer, made at App/Shop.swift:9")) }
    story.fulfil(story.make("Deferred", label: "done"))
    try inBrowser(story.recording) { (browser: Browser) throws in
      #expect(try browser.value("$('causes').hidden") as? Bool == false)
      #expect(try browser.text("#pending") == "9 promises are pending or unfinished. 3 causes:")
      #expect(try browser.texts("#list .name") == ["Deferred POST /token", "delay", "Deferred GET /news"])
      #expect(try browser.texts("#list .badge") == ["5 wait", "2 wait", "1 waits"])
      #expect(
        try browser.texts("#list .why") == [
          "Its owner has not settled it.", "its timer, made at App/Shop.swift:9 (2 such promises)",
          "Its owner has not settled it.",
        ])
      _ = try browser.value("document.querySelector('#list button').click()")
      try browser.waitForFrame()
      #expect(try browser.texts(".row[aria-selected=true] .name") == ["Deferred POST /token"])
      #expect(try browser.texts(".row[aria-selected=true] .badge") == ["cause of 5"])
      #expect(try browser.texts("#held .way").first == "3 ×")
      #expect(try browser.texts("#held .name").sorted() == ["all", "shielded", "then GET /items/1"])
      // The way from the last promise names its causes first, and does not repeat what two branches share.
      _ = try browser.value("select(promises.get(\(all)))")
      #expect(try browser.texts("#roots .name") == ["Deferred POST /token", "Deferred GET /news"])
      #expect(
        try browser.texts("#waits .name") == [
          "then GET /items/1", "shielded", "Deferred POST /token", "then GET /items/2", "shielded",
          "then GET /items/3", "shielded", "Deferred GET /news",
        ])
      #expect(try browser.texts("#waits .way") == ["through a shield", "shown above", "shown above"])
    }
  }

  @Test("A gate that an operation enters again is the cause, and the way goes on to the operation inside")
  func reentered() throws {
    var story = Story()
    let outer = story.use(disk, named: diskName, label: "save")
    story.fulfil(outer.place)
    story.add(.began(outer.operation, context: "pool"))
    let inner = story.use(disk, named: diskName, label: "write index")
    story.add(.returned(outer.operation))
    story.add(.adopted(outer.operation, adopted: inner.operation))
    let other = story.use(disk, named: diskName, label: "load")
    try inBrowser(story.recording, "promise=\(other.operation)") { (browser: Browser) throws in
      #expect(try browser.texts("#list .name") == ["SerialGate disk"])
      #expect(try browser.texts("#list .why") == ["The operation inside waits for a place in it."])
      #expect(try browser.texts("#list .badge") == ["5 wait"])
      #expect(
        try browser.texts("#waits .name") == [
          "place", "SerialGate disk", "gate save", "gate write index", "place", "SerialGate disk",
        ])
      #expect(try browser.texts("#waits .way") == ["a place in", "inside", "adopted", "shown above"])
    }
  }

  @Test("An operation that never ends is the cause, and not the gate in which it is")
  func holder() throws {
    var story = Story()
    let first = story.use(disk, named: diskName, label: "first")
    let second = story.use(disk, named: diskName, label: "second")
    story.fulfil(first.place)
    story.run(first.operation)
    let answer = story.make("Deferred", label: "answer")
    story.add(.adopted(first.operation, adopted: answer))
    // Gates of the same kind with other numbers are other gates.
    _ = story.use(Recording.Gate(id: 2, places: 3), named: diskName, label: "third")
    try inBrowser(story.recording, "promise=\(second.operation)") { (browser: Browser) throws in
      #expect(try browser.texts("#list .name") == ["Deferred answer", "SerialGate disk"])
      #expect(
        try browser.texts("#list .why") == ["Its owner has not settled it.", "0 operations inside, 1 waiting."])
      #expect(try browser.texts("#list .badge") == ["3 wait", "2 wait"])
      #expect(try browser.texts("#roots .name") == ["Deferred answer"])
    }
  }

  @Test("The page of a program that hangs names the owner, the gate and the cleanup that it waits for")
  func program() throws {
    let recorder = Recorder()
    let context = ManualContext()
    let (recording, kept) = recorder.record {
      let disk = SerialGate(label: "disk")
      let saved = disk.run(on: context) { disk.run(on: context) { Promise.fulfilled(1) } }
      let token = Deferred<Int>(label: "POST /token")
      let shared = token.promise.shielded()
      let requests = (1...3).map { _ in shared.map(on: context) { $0 } }
      let upload = Deferred<Int>(label: "upload")
      let cleanup = Deferred<Void>(label: "remove file")
      upload.onCancelThen { _ in cleanup.promise }
      let removed = upload.promise.whenFinished()
      upload.promise.cancel()
      context.runUntilIdle()
      return (recorder.recording, [saved, requests, token, upload, cleanup, removed] as [Any])
    }
    try inBrowser(recording) { (browser: Browser) throws in
      #expect(
        try browser.texts("#list .name") == ["promise POST /token", "SerialGate disk", "promise remove file"])
      #expect(
        try browser.texts("#list .why") == [
          "Its owner has not settled it.", "The operation inside waits for a place in it.",
          "Its owner has not settled it.",
        ])
      #expect(try browser.texts("#list .badge") == ["4 wait", "3 wait", "1 waits"])
    }
    withExtendedLifetime(kept) {}
  }

  @Test("A gate has a row with the numbers of operations inside and waiting over time")
  func gateRow() throws {
    var story = Story()
    let first = story.use(disk, named: diskName)
    let second = story.use(disk, named: diskName)
    let third = story.use(disk, named: diskName)
    story.fulfil(first.place)
    story.add(.left(first.place))
    story.fulfil(second.place)
    // It gives up before it has a place.
    story.add(.left(third.place))
    story.add(.settled(third.place, .cancelled, text: nil))
    try inBrowser(story.recording, "promise=gate-1") { (browser: Browser) throws in
      #expect(try browser.texts(".row .name").first == "SerialGate disk")
      #expect(try browser.text(".state")?.contains("1 operation inside, 0 waiting.") == true)
      let steps = try browser.value("selected.steps.map((step) => [step.inside, step.waiting])") as? [[Int]]
      #expect(steps == [[0, 1], [0, 2], [0, 3], [1, 2], [0, 2], [1, 1], [1, 0], [1, 0]])
      let colours =
        """
        (() => {
          const canvas = $("bars"), data = canvas.getContext("2d").getImageData(0, 0, canvas.width, 22).data;
          const drawn = new Set();
          for (let i = 0; i < data.length; i += 4) {
            drawn.add("#" + [0, 1, 2].map((k) => data[i + k].toString(16).padStart(2, "0")).join(""));
          }
          return [drawn.has(colours.accent), drawn.has(colours.pending)];
        })()
        """
      #expect(try browser.value(colours) as? [Bool] == [true, true])
    }
  }

  @Test("A settled promise that has not finished has a state of its own, and one that has finished has not")
  func unfinished() throws {
    var story = Story()
    let ended = story.make("Deferred", label: "ended")
    let running = story.make("Deferred", label: "running")
    for promise in [ended, running] {
      story.add(.settled(promise, .cancelled, text: nil))
      story.add(.unfinished(promise))
    }
    story.add(.finished(ended))
    try inBrowser(story.recording, "promise=\(running)") { (browser: Browser) throws in
      #expect(try browser.text(".chip[value=unfinished]") == "1 unfinished")
      #expect(try browser.text(".chip[value=cancelled]") == "1 cancelled")
      #expect(try browser.text(".state") == "Cancelled after 4 µs, and has not finished for 13 µs")
      #expect(try browser.texts("#list .why") == ["It is settled, and its work has not ended."])
      #expect(try browser.value("lastOf(promises.get(\(running))) === duration") as? Bool == true)
      _ = try browser.value("select(promises.get(\(ended)))")
      #expect(try browser.text(".state") == "Cancelled after 4 µs, and finished 4 µs later")
      #expect(try browser.value("lastOf(selected)") as? Int == 8000)
    }
  }

  @Test("A key shows only what is pending or unfinished, and the same key shows all again")
  func pendingOnly() throws {
    var story = Story()
    story.fulfil(story.make("Deferred", label: "done"))
    _ = story.make("Deferred", label: "open")
    let work = story.make("Deferred", label: "work")
    story.add(.settled(work, .cancelled, text: nil))
    story.add(.unfinished(work))
    try inBrowser(story.recording) { (browser: Browser) throws in
      try browser.press("p")
      #expect(try browser.texts(".row .name") == ["Deferred open", "Deferred work"])
      #expect(try browser.text("#count") == "2 matches")
      try browser.press("p")
      #expect(try browser.texts(".row .name") == ["Deferred done", "Deferred open", "Deferred work"])
    }
  }

  @Test("Without anything pending there is no panel of causes")
  func nothing() throws {
    var story = Story()
    story.fulfil(story.make("Deferred"))
    try inBrowser(story.recording) { (browser: Browser) throws in
      #expect(try browser.value("$('causes').offsetHeight") as? Int == 0)
    }
  }

  @Test("A gate with 30,000 operations that wait for one has one cause, which is counted exactly")
  func crowd() throws {
    var story = Story()
    let first = story.use(disk, named: diskName)
    story.fulfil(first.place)
    story.run(first.operation)
    story.add(.adopted(first.operation, adopted: story.make("Deferred", label: "answer")))
    for _ in 0..<30_000 { _ = story.use(disk, named: diskName) }
    try inBrowser(story.recording) { (browser: Browser) throws in
      #expect(try browser.texts("#list .name") == ["Deferred answer"])
      #expect(try browser.texts("#list .badge") == ["60,001 wait"])
      _ = try browser.value("document.querySelector('#list button').click()")
      #expect(try browser.texts("#held .way") == ["30,001 ×", "30,000 ×"])
    }
  }
}
