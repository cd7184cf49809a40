extension TestWorld {
  /// The kinds of things that a test must not leave behind in a world.
  public struct Checks: OptionSet, Sendable {
    /// The checks as bits.
    public let rawValue: Int
    /// Creates the set of checks with these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Promises that are pending, whose consumers would wait forever, and promises that are settled and have not finished
    /// (rule 2.11), whose work would go on forever.
    public static let pendingPromises = Checks(rawValue: 1 << 0)
    /// Rejections that were not handled (rule 7.1).
    public static let unhandledRejections = Checks(rawValue: 1 << 1)
    /// Settlements of promises that were settled before, other than by a cancellation (rule 1.3).
    public static let secondSettlements = Checks(rawValue: 1 << 2)
    /// Timers that are armed, though no consumer may need them (rule 4.9).
    public static let timers = Checks(rawValue: 1 << 3)
    /// Handlers and Tasks that have not run.
    public static let waiting = Checks(rawValue: 1 << 4)
    /// Finished promises of this world, and objects given to ``TestWorld/track(_:fileID:line:)``, that are not
    /// deallocated. Check this when the test itself holds none of them. Promises that have not finished belong to
    /// ``pendingPromises``.
    public static let objects = Checks(rawValue: 1 << 5)
    /// Calls of `cancel()` that have left work without a consumer (rule 4.4). Debug builds of the library alone look for
    /// it.
    public static let unstoppedWork = Checks(rawValue: 1 << 6)

    /// All checks that are possible while the test still holds its promises.
    public static let running: Checks = [
      .pendingPromises, .unhandledRejections, .secondSettlements, .unstoppedWork, .timers, .waiting,
    ]
    /// All checks.
    public static let all: Checks = [.running, .objects]
  }
}
