/// Public functions that have nothing to leak.
struct Exception: Sendable {
  /// The beginning of the names of the functions.
  let prefix: String
  let reason: String

  init(_ prefix: String, _ reason: String) { (self.prefix, self.reason) = (prefix, reason) }

  func covers(_ name: String) -> Bool { name.hasPrefix(prefix) }

  static func of(_ name: String) -> Exception? { all.first { $0.covers(name) } }

  static let all = [
    Exception("CreationSite.", "two numbers"),
    Exception("Backoff.constant", "a number"),
    Exception("Backoff.exponential", "numbers"),
    Exception("Backoff.jittered()", "no closure of a client"),
    Exception("Backoff.pause", "calls the closure that `init` was given"),
    Exception("SerialGate.tryEnter(", "returns a place at once; what it retains: TryEnterTests, which leaves nothing"),
    Exception("ConcurrencyLimit.tryEnter(", "as `SerialGate.tryEnter`"),
    Exception("ReadersWriterGate.tryRead(", "as `SerialGate.tryEnter`"),
    Exception("ReadersWriterGate.tryWrite(", "as `SerialGate.tryEnter`"),
    Exception("GatePlace.", "what it retains: TryEnterTests, which leaves nothing"),
    Exception("HTTPMethod.", "a string"),
    Exception("DownloadPart.", "a value; it names files, and keeps none open"),
    Exception("HTTPRequest.", "a value, made by the client; `urlRequest()` makes another"),
    Exception("Command.", "a value; what programs retain is tested with processes: CommandStopTests, CommandEndTests"),
    Exception("RunningCommand.", "sends a signal; what programs retain: CommandEndTests, CommandOutputTests"),
    Exception("CommandInput.", "ends with its program: CommandConversationTests, with weak references"),
    Exception("CommandOutput.", "ends with its program: CommandOutputTests, with weak references"),
    Exception("Lines.", "as the `CommandOutput` that it splits"),
    Exception("Pieces.", "as the `CommandOutput` that it splits"),
    Exception("Promise.signal(", "signals of the whole process: SignalTests, with tracked handlers"),
    Exception("ProcessSignals.init(", "signals of the whole process: SignalTests, with a tracked loop"),
    Exception("ProcessSignals.", "as `ProcessSignals.init`"),
    Exception("FormPart.", "a value, made by the client"),
    Exception("HTTPResponse.", "a value; `decoded` gives what the decoder makes"),
    Exception("Promise.dump", "an `onSettled` of the library's own; its printer is tested in DumpTests"),
    Exception("PromiseView.dump", "calls that of the promise"),
    Exception("ProgressUpdates.", "covered by `progressUpdates`, which is no function"),
    Exception("AsyncIterator.", "covered by `progressUpdates`, by CommandOutputTests and by SignalTests"),
    Exception("Diagnostics.scoped", "runs its closure before it returns; what its hooks capture: ScopeTests"),
    Exception("Diagnostics.", "hooks of the process, kept until they are replaced: CarriedContextTests"),
    Exception("Kind.", "a string"),
    Exception("WaitCause", "texts and numbers, which hold no promise"),
    Exception("Deferred.init(label:", "as the owner without a label, which is in the table"),
    Exception("CarriedContext.", "the default awaits the handler, and keeps nothing"),
    Exception(
      "DispatchTimers.", "time that really passes: DispatchTimersTests and TimerQueueTests, with tracked actions"),
    Exception("CancelBag.init()", "an empty bag"),
    Exception("SerialGate.init(", "an empty gate"),
    Exception("ReadersWriterGate.init(", "an empty gate"),
    Exception("SingleFlight.init(until:label:)", "an empty gate"),
    Exception("ConcurrencyLimit.init(", "an empty gate"),
    Exception("RateLimit.init(", "an empty gate"),
    Exception("QueuePriority.init(", "a number"),
  ]
}
