import Foundation
import PromiseCombinators
import PromiseGates
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

  private let context = ManualContext()

  @Test("The page opens with the causes of what is pending, the greatest first, and each selects its row")
  func causes() throws {
    let recorder = Recorder()
    let (all, kept) = recorder.record {
      let news = Deferred<Int>(label: "GET /news")
      let token = Deferred<Int>(label: "POST /token")
      let shield = token.promise.shielded()
      let requests = (1...3).map { number in shield.map(on: context) { $0 }.labeled("GET /items/\(number)") }
      let all = Promise.all(requests + [news.promise])
      return (all, [news, token] as [Any])
    }
    let recording = recorder.recording
    try inBrowser(recording) { (browser: Browser) throws in
      #expect(try browser.value("$('causes').hidden") as? Bool == false)
      #expect(try browser.text("#pending") == "7 promises are pending or unfinished. 2 causes:")
      #expect(try browser.texts("#list .why") == recording.causes.map(\.summary))
      #expect(try browser.texts("#list .badge") == ["6 wait", "2 wait"])
      _ = try browser.value("document.querySelector('#list button').click()")
      try browser.waitForFrame()
      #expect(try browser.texts(".row[aria-selected=true] .name") == ["promise POST /token"])
      #expect(try browser.texts(".row[aria-selected=true] .badge") == ["cause of 6"])
      #expect(try browser.texts("#held .way").first == "3 ×")
      #expect(try browser.texts("#held .name").sorted() == ["all", "map GET /items/1", "shielded"])
      // The way from the last promise names its causes first, and does not repeat what two branches share.
      _ = try browser.value("select(order.find((p) => p.operation === 'all'))")
      #expect(try browser.texts("#roots .why") == recording.causes.map(\.summary))
      #expect(
        try browser.texts("#waits .name") == [
          "map GET /items/1", "shielded", "promise POST /token", "map GET /items/2", "shielded", "map GET /items/3",
          "shielded", "promise GET /news",
        ])
      #expect(try browser.texts("#waits .way") == ["through a shield", "shown above", "shown above"])
    }
    withExtendedLifetime((all, kept)) {}
  }

  @Test("A gate that an operation enters again is the cause, and the way goes on to the operation inside")
  func reentered() throws {
    let recorder = Recorder()
    let saved = recorder.record {
      let disk = SerialGate(label: "disk")
      let saved = disk.run(on: context) { [context] in
        disk.run(on: context) { Promise.fulfilled(1) }.labeled("write index")
      }
      return saved.labeled("save")
    }
    context.runUntilIdle()
    try inBrowser(recorder.recording) { (browser: Browser) throws in
      #expect(try browser.texts("#list .why").first?.hasSuffix("waits for a place in the same gate") == true)
      _ = try browser.value("document.querySelector('#list button').click()")
      try browser.waitForFrame()
      #expect(try browser.texts(".row[aria-selected=true] .name") == ["SerialGate disk"])
      // The whole text, and the row stays where only pending promises are shown.
      #expect(try browser.text("#details p.why")?.hasSuffix("waits for a place in the same gate") == true)
      try browser.press("p")
      #expect(try browser.texts(".row .name").contains("SerialGate disk"))
      _ = try browser.value("select(order.find((p) => p.label === 'write index'))")
      #expect(
        try browser.texts("#waits .name") == [
          "place", "SerialGate disk", "run of a gate save", "run of a gate write index",
        ])
      #expect(try browser.texts("#waits .way") == ["a place in", "inside", "shown above"])
    }
    saved.cancel()
    context.runUntilIdle()
  }

  @Test("A paused gate is named as paused, and a cause whose events were dropped still has a row")
  func pausedGate() throws {
    let recorder = Recorder(capacity: 4)
    let (disk, waiting, kept) = recorder.record {
      let disk = SerialGate(label: "disk")
      disk.isPaused = true
      let owner = Deferred<Int>(label: "answer")
      let waiting = disk.run(on: context) { Promise.fulfilled(1) }
      return (disk, waiting, (0..<9).map { _ in Promise.fulfilled(1) } + [owner.promise])
    }
    try inBrowser(recorder.recording) { (browser: Browser) throws in
      let causes = try browser.texts("#list .why")
      #expect(causes.contains { $0.hasSuffix("with 0 operations inside and 1 waiting, paused") })
      #expect(causes.count == 1 || causes.contains { $0.contains("answer") })
      #expect(try browser.value("document.querySelectorAll('#list button').length") as? Int == causes.count)
    }
    disk.isPaused = false
    context.runUntilIdle()
    withExtendedLifetime((waiting, kept)) {}
  }

  @Test("A pending promise that no code can see any more is not counted")
  func released() throws {
    let recorder = Recorder()
    let owner = recorder.record {
      let owner = Deferred<Int>(label: "answer")
      _ = Promise<Int>.fulfilled(1).then(on: context) { [promise = owner.promise] _ in promise }
        .map(on: context) { $0 }
      return owner
    }
    context.runUntilIdle()
    let recording = recorder.recording
    #expect(recording.causes.map(\.label) == ["answer"])
    try inBrowser(recording) { (browser: Browser) throws in
      let count = recording.causes.promiseCount
      #expect(try browser.text("#pending")?.hasPrefix("\(count) promise") == true)
      #expect(try browser.text(".chip[value=pending]") == "\(count) pending")
    }
    withExtendedLifetime(owner) {}
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
      #expect(try browser.texts("#list .why") == recording.causes.map(\.summary))
      #expect(recording.causes.map(\.label) == ["POST /token", "disk", "remove file"])
      _ = try browser.value("document.querySelectorAll('#list button')[2].click()")
      try browser.waitForFrame()
      #expect(try browser.texts(".row[aria-selected=true] .name") == ["promise remove file"])
    }
    withExtendedLifetime(kept) {}
  }

  @Test("A gate has a row with the numbers of operations inside and waiting over time")
  func gateRow() throws {
    var builder = RecordingBuilder()
    let first = builder.use(disk, named: diskName)
    let second = builder.use(disk, named: diskName)
    let third = builder.use(disk, named: diskName)
    builder.fulfil(first.place)
    builder.add(.left(first.place))
    builder.fulfil(second.place)
    // It gives up before it has a place.
    builder.add(.left(third.place))
    builder.add(.settled(third.place, .cancelled, text: nil))
    try inBrowser(builder.recording, "promise=gate-1") { (browser: Browser) throws in
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
    var builder = RecordingBuilder()
    let ended = builder.make("Deferred", label: "ended")
    let running = builder.make("Deferred", label: "running")
    for promise in [ended, running] {
      builder.add(.settled(promise, .cancelled, text: nil))
      builder.add(.unfinished(promise))
    }
    builder.add(.finished(ended))
    try inBrowser(builder.recording, "promise=\(running)") { (browser: Browser) throws in
      #expect(try browser.text(".chip[value=unfinished]") == "1 unfinished")
      #expect(try browser.text(".chip[value=cancelled]") == "1 cancelled")
      #expect(try browser.text(".state") == "Cancelled after 4 µs, and has not finished for 13 µs")
      #expect(try browser.value("lastOf(promises.get(\(running))) === duration") as? Bool == true)
      _ = try browser.value("select(promises.get(\(ended)))")
      #expect(try browser.text(".state") == "Cancelled after 4 µs, and finished 4 µs later")
      #expect(try browser.value("lastOf(selected)") as? Int == 8000)
    }
  }

  @Test("A promise that was settled before the oldest event is counted until it has finished, and its bar ends then")
  func settledBefore() throws {
    var builder = RecordingBuilder()
    // The events of both creations and settlements were dropped.
    let ended: Recording.ID = 9
    let running: Recording.ID = 10
    for promise in [ended, running] { builder.add(.unfinished(promise)) }
    builder.add(.finished(ended))
    try inBrowser(builder.recording, "promise=\(ended)") { (browser: Browser) throws in
      #expect(try browser.text(".chip[value=unfinished]") == "1 unfinished")
      #expect(try browser.text(".chip[value=pending]") == "0 pending")
      #expect(try browser.value("lastOf(promises.get(\(ended)))") as? Int == 2000)
      #expect(try browser.text(".state") == "Settled before the recording, and finished at 2 µs")
      _ = try browser.value("select(promises.get(\(running)))")
      #expect(try browser.value("lastOf(selected) === duration") as? Bool == true)
      #expect(try browser.text(".state") == "Settled before the recording, and has not finished.")
    }
  }

  @Test("A key shows only what is pending or unfinished, and the same key shows all again")
  func pendingOnly() throws {
    var builder = RecordingBuilder()
    builder.fulfil(builder.make("Deferred", label: "done"))
    _ = builder.make("Deferred", label: "open")
    let work = builder.make("Deferred", label: "work")
    builder.add(.settled(work, .cancelled, text: nil))
    builder.add(.unfinished(work))
    try inBrowser(builder.recording) { (browser: Browser) throws in
      try browser.press("p")
      #expect(try browser.texts(".row .name") == ["Deferred open", "Deferred work"])
      #expect(try browser.text("#count") == "2 matches")
      try browser.press("p")
      #expect(try browser.texts(".row .name") == ["Deferred done", "Deferred open", "Deferred work"])
    }
  }

  @Test("Without anything pending there is no panel of causes")
  func nothing() throws {
    var builder = RecordingBuilder()
    builder.fulfil(builder.make("Deferred"))
    try inBrowser(builder.recording) { (browser: Browser) throws in
      #expect(try browser.value("$('causes').offsetHeight") as? Int == 0)
    }
  }

  @Test("A gate with 30,000 operations that wait for one has one cause, which is counted exactly")
  func crowd() throws {
    let recorder = Recorder(capacity: 1_000_000)
    let disk = SerialGate(label: "disk")
    let answer = Deferred<Int>(label: "answer")
    let results = recorder.record {
      (0...30_000).map { _ in disk.run(on: context) { answer.promise } }
    }
    context.runUntilIdle()
    try inBrowser(recorder.recording) { (browser: Browser) throws in
      #expect(try browser.texts("#list .badge") == ["60,002 wait"])
      _ = try browser.value("document.querySelector('#list button').click()")
      try browser.waitForFrame()
      #expect(try browser.texts("#held .way") == ["30,000 ×", "30,000 ×"])
    }
    results.last?.cancel()
    answer.fulfill(1)
    context.runUntilIdle()
  }
}
