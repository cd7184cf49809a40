/// The path of a rejection, from the place where it began through the links and adopters that passed it on.
///
/// Recorded only while ``Diagnostics/isTracing`` is on.
public struct RejectionTrail: Sendable, CustomStringConvertible {
  /// The maximum number of passed sites that are stored. Further sites are only counted.
  static let longest = 64

  private let origin: Site
  private let rejection: Site
  private var steps: [(site: Site, operation: Operation?)] = []

  /// The number of sites that were passed after the first 64, which ``passed`` contains.
  public private(set) var omitted = 0

  /// Creates the trail of a rejection that began at a promise, in a handler or in a call of its owner.
  init(of promise: AnyPromise, at site: Site? = nil) {
    origin = promise.site
    rejection = site ?? promise.site
  }

  /// The place where the rejection began, which is the call of ``Deferred/reject(_:fileID:line:)``, or the link whose
  /// handler threw.
  public var rejectedAt: CreationSite { CreationSite(rejection) }

  /// The place where the promise was made that was rejected first.
  public var createdAt: CreationSite { CreationSite(origin) }

  /// The places where the promises were made to which the rejection was passed, in order.
  public var passed: [CreationSite] { steps.map { CreationSite($0.site) } }

  /// Describes in one line where the rejection began, which operators passed it on, and where the promise was made.
  public var description: String {
    var through = steps.map { ($0.operation.map { "\($0.name) at " } ?? "") + CreationSite($0.site).description }
    if omitted > 0 { through.append("… \(omitted) more") }
    let way = through.isEmpty ? "" : ", through \(through.joined(separator: ", "))"
    return "rejected at \(rejectedAt)\(way), created at \(createdAt)"
  }

  /// Returns the trail of the same rejection after it was passed to another promise. Trails that have reached the
  /// maximum length share the storage of their sites.
  func passed(to promise: AnyPromise) -> RejectionTrail {
    var longer = self
    if steps.count < Self.longest {
      longer.steps.append((promise.site, promise.operation))
    } else {
      longer.omitted += 1
    }
    return longer
  }
}

extension Diagnostics {
  /// Whether rejections record their path, for ``AnyPromise/rejectionTrail`` and ``UnhandledRejection``. The default is
  /// `false`.
  ///
  /// May be changed at any time, from any thread. The change applies to later rejections. While it is off, each
  /// rejection costs one load. While it is on, each rejected promise has a side table.
  public static var isTracing: Bool {
    get { tracing }
    set { tracing = newValue }
  }
}

extension AnyPromise {
  /// The path that the rejection of this promise has taken.
  ///
  /// `nil` if the promise is not rejected, or was rejected while ``Diagnostics/isTracing`` was off. Reading the trail
  /// does not handle the rejection (rule 7.1).
  ///
  /// - Complexity: O(1).
  public final var rejectionTrail: RejectionTrail? {
    let promise = resolved
    return promise.acquiredState.isDone ? promise.trail : nil
  }

  /// The trail of a promise that is known to be rejected.
  final var trail: RejectionTrail? { locked { side?.notes?.trail } }

  /// The trail of a rejection that begins at this promise, if rejections are traced.
  ///
  /// - Parameter site: the place where the owner has rejected the promise.
  final func newTrail(of outcome: Outcome, at site: Site? = nil) -> RejectionTrail? {
    guard Diagnostics.isTracing, case .error = outcome else { return nil }
    return RejectionTrail(of: self, at: site)
  }
}
