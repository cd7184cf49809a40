import TestSupport
import Testing

/// Tests the detector without threads. The test supplies the observations of the watcher.
@Suite("The detector of handlers that block") struct BlockDetectorTests {
  private enum Work: Sendable { case none, some }

  /// A detector, and the thread that it observes.
  private struct Observation {
    var detector = BlockDetector()
    private var processorTime: Duration? = .zero

    init(tellsTime: Bool = true) { processorTime = tellsTime ? .zero : nil }

    /// Returns whether the detector reports a blocked thread.
    mutating func look(_ state: ThreadState, after work: Work, isSameJob: Bool = true) -> Bool {
      if work == .some { processorTime = processorTime.map { $0 + .microseconds(10) } }
      return detector.observe(state, processorTime: processorTime, isSameJob: isSameJob)
    }

    /// Begins a job. Returns the number of the look that reports the job as blocked, or `nil` if none of a thousand
    /// looks does.
    mutating func looks(at state: ThreadState, after work: Work) -> Int? {
      _ = look(.runnable, after: .some, isSameJob: false)
      return (1...1_000).first { _ in look(state, after: work) }
    }
  }

  @Test("A thread counts as blocked after a number of looks that depends on what they find")
  func looks() {
    // The finding of each look, and the number of the look that reports the thread as blocked.
    let findings: [(state: ThreadState, work: Work, tellsTime: Bool, look: Int?)] = [
      // A sleeping thread without processor time is blocked at once.
      (.asleep, .none, true, 1), (.asleep, .some, true, 16),
      // A thread that works, or that gets no processor, is never blocked.
      (.runnable, .some, true, nil), (.runnable, .none, true, nil),
      (.unknown, .none, true, 16), (.unknown, .none, false, 16), (.unknown, .some, true, 256),
    ]
    for finding in findings {
      var observation = Observation(tellsTime: finding.tellsTime)
      let look = observation.looks(at: finding.state, after: finding.work)
      #expect(look == finding.look, "\(finding)")
    }
  }

  @Test("Looks that find the thread running do not count and do not reset the count")
  func pollingAndComputing() {
    var observation = Observation()
    for _ in 1...15 {
      let answers = [observation.look(.asleep, after: .some), observation.look(.runnable, after: .some)]
      #expect(answers == [false, false])
    }
    let isBlocked = observation.look(.asleep, after: .some)
    #expect(isBlocked)
  }

  @Test("Each job starts the count again")
  func newJob() {
    for state in [ThreadState.asleep, .unknown] {
      var observation = Observation()
      for job in 1...10 {
        let isBlockedAtBegin = observation.look(state, after: .some, isSameJob: false)
        #expect(!isBlockedAtBegin)
        for look in 1...15 {
          let isBlocked = observation.look(state, after: .some)
          #expect(!isBlocked, "\(state), job \(job), look \(look)")
        }
      }
    }
  }

  @Test("The detector is suspicious only while the thread may be blocked")
  func suspicion() {
    var observation = Observation()
    #expect(!observation.detector.isSuspicious)
    for (state, isSuspicious) in [(ThreadState.asleep, true), (.runnable, false), (.unknown, true)] {
      _ = observation.look(state, after: .some)
      #expect(observation.detector.isSuspicious == isSuspicious)
      _ = observation.look(state, after: .some, isSameJob: false)
      #expect(!observation.detector.isSuspicious)
    }
  }
}
