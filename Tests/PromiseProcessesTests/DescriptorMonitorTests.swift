import Testing

@testable import PromiseProcesses

@Suite("The monitor of descriptors", .bounded) struct DescriptorMonitorTests {
  private let monitor: DescriptorMonitor
  private let queue = DispatchQueue(label: "monitor")
  private let reports = Log<String>()

  init() throws { monitor = try DescriptorMonitor.shared() }

  @Test("A wait reports once, and the next wait reports again while there is data")
  func once() async throws {
    let (reading, writing) = try Descriptor.pipe()
    monitor.wait(for: POLLIN, of: reading, on: queue) { [reports] in reports.append("first") }
    try await pollTwice()
    #expect(reports.entries.isEmpty)
    write("a", to: writing)
    #expect(await eventually { reports.entries == ["first"] })
    write("b", to: writing)
    try await pollTwice()
    #expect(reports.entries == ["first"])
    monitor.wait(for: POLLIN, of: reading, on: queue) { [reports] in reports.append("second") }
    #expect(await eventually { reports.entries == ["first", "second"] })
  }

  @Test("After the other end is closed, the remaining data is reported first, and then the end")
  func hangUp() async throws {
    let reading = try endedPipe()
    for count in 1...2 {
      monitor.wait(for: POLLIN, of: reading, on: queue) { [reports] in reports.append(read(from: reading) ?? "") }
      #expect(await eventually { reports.entries.count == count })
    }
    #expect(reports.entries == ["rest", ""])
  }

  @Test("A cancelled wait does not report, and closes its descriptor")
  func cancelled() async throws {
    let reading = try cancelledWait()
    reading.makeNonblocking()
    // An empty text means the end of the pipe, so no descriptor of the other end is open.
    #expect(await eventually { read(from: reading) == "" })
    try await pollTwice()
    #expect(reports.entries.isEmpty)
  }

  #if os(Linux)
    @Test("Of two waits for one descriptor, each reports what it waits for")
    func twoWaits() async throws {
      let reading: Descriptor
      var writing: Descriptor?
      (reading, writing) = try Descriptor.pipe()
      monitor.wait(for: 0, of: reading, on: queue) { [reports] in reports.append("end") }
      monitor.wait(for: POLLIN, of: reading, on: queue) { [reports] in reports.append("output") }
      if let writing { write("a", to: writing) }
      #expect(await eventually { reports.entries == ["output"] })
      try await pollTwice()
      #expect(reports.entries == ["output"])
      writing = nil
      #expect(await eventually { reports.entries == ["output", "end"] })
    }

    @Test("The waits for one descriptor count as one open file, of which the process has a limited number")
    func manyWaits() async {
      await #expect(processExitsWith: .success) {
        let monitor = try DescriptorMonitor.shared()
        let queue = DispatchQueue(label: "monitor")
        let reports = Log<Int>()
        let (reading, writing) = try Descriptor.pipe()
        setLimit(of: RLIMIT_NOFILE, to: 64)
        for number in 0..<100 {
          monitor.wait(for: number.isMultiple(of: 2) ? POLLIN : 0, of: reading, on: queue) { reports.append(number) }
        }
        write("a", to: writing)
        #expect(await eventually { reports.entries.count == 50 })
      }
    }
  #endif

  /// Cancels a wait for the writing end of a full pipe, and returns the other end.
  private func cancelledWait() throws -> Descriptor {
    let (reading, writing) = try Descriptor.pipe()
    writing.makeNonblocking()
    while write(String(repeating: "a", count: 4_096), to: writing) {}
    monitor.cancel(monitor.wait(for: POLLOUT, of: writing, on: queue) { [reports] in reports.append("ready") })
    return reading
  }

  /// Returns after the thread of the monitor has reported all descriptors that were ready before, and the queue has run
  /// the reports.
  private func pollTwice() async throws {
    for _ in 0..<2 {
      let reading = try endedPipe()
      await withCheckedContinuation { continuation in
        monitor.wait(for: POLLIN, of: reading, on: queue) { continuation.resume() }
      }
    }
  }

  private func endedPipe() throws -> Descriptor {
    let (reading, writing) = try Descriptor.pipe()
    write("rest", to: writing)
    return reading
  }
}

@discardableResult
private func write(_ text: String, to descriptor: Descriptor) -> Bool {
  unsafe write(descriptor.number, text, text.utf8.count) == text.utf8.count
}

/// Reads available data, and returns `nil` if there is none at the moment.
private func read(from descriptor: Descriptor) -> String? {
  var bytes = [UInt8](repeating: 0, count: 4_096)
  let count = unsafe read(descriptor.number, &bytes, bytes.count)
  return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
}
