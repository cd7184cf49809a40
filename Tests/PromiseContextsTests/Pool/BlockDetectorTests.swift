import PromiseContexts
import TestSupport
import Testing

/// Tests the detector without threads. The test supplies the observations of the watcher.
@Suite("The detector of handlers that block")
struct BlockDetectorTests {
  private enum Work { case none, some }

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

  @Test("A thread that is asleep and has used no processor time since the last look is blocked")
  func asleep() {
    var observation = Observation()
    let look = observation.looks(at: .asleep, after: .none)
    #expect(look == 1)
  }

  @Test("A thread that could run is not blocked, even if it gets no processor")
  func runnable() {
    var observation = Observation()
    let looks = [observation.looks(at: .runnable, after: .some), observation.looks(at: .runnable, after: .none)]
    #expect(looks == [nil, nil])
  }

  @Test("A thread that sleeps and works in turn is blocked when 16 looks have found it asleep")
  func polling() {
    var observation = Observation()
    let look = observation.looks(at: .asleep, after: .some)
    #expect(look == 16)
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

  @Test("A thread whose state is unknown is blocked after 16 looks at which it had used no processor time")
  func unknownIdle() {
    var observation = Observation()
    var untold = Observation(tellsTime: false)
    let looks = [observation.looks(at: .unknown, after: .none), untold.looks(at: .unknown, after: .none)]
    #expect(looks == [16, 16])
  }

  @Test("A thread whose state is unknown is blocked after 256 looks, whatever it does")
  func unknownBusy() {
    var observation = Observation()
    let look = observation.looks(at: .unknown, after: .some)
    #expect(look == 256)
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
