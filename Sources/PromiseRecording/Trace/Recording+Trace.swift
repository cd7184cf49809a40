extension Recording {
  /// The recording in the Trace Event Format, which Perfetto (ui.perfetto.dev) and `chrome://tracing` open.
  ///
  /// The text is a JSON object. Times are in microseconds since the beginning of the recording. It contains:
  ///
  /// - a process "Threads" with a track for each thread. A slice is the run of a handler that is not async. A slice of
  ///   at most a microsecond marks a settlement. An arrow leads from the settlement of a promise to each handler that
  ///   it caused.
  /// - a process "Contexts" with a track for each context. If handlers of a context run at the same time, it has
  ///   several.
  /// - a process "Promises" with an asynchronous slice for the time in which each promise was pending. Instant
  ///   events on it say when it was cancelled, labeled, or began to wait for something. Other slices show the time in
  ///   which a promise was settled and had not finished, and in which an operation had its place in a gate.
  /// - a process "Causes" with a slice for each of the ``causes``, up to the end of the recording.
  ///
  /// A name consists of the operation and the label. For a settlement they follow the word "settle", and for a promise
  /// that had not finished the word "unfinished". A name has at most 120 characters. The arguments (`args`) have the whole label, the site, the outcome, the reason of a cancellation and
  /// the text of the value or error.
  ///
  /// A promise without an outcome, and a handler that has not returned, last until the end of the recording. A promise
  /// whose creation was not recorded begins with the recording.
  ///
  /// - Complexity: O(*n* + *m*), where *n* is the number of events and *m* is the length of their texts.
  public var trace: String { TraceWriter(self).text }
}
