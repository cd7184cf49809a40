/// The path of a rejection, from the place where it began through the links and adopters that passed it on.
///
/// Recorded only while ``Diagnostics/recordsRejectionTrails`` is on.
public struct RejectionTrail: Sendable, CustomStringConvertible {
  private let origin: Site
  private let rejection: Site
  private var steps = RejectionSteps()

  /// The number of sites that were passed after the first 64, which ``passed`` contains.
  public var omittedCount: Int { steps.omitted }

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
  ///
  /// Includes the promises that the library has bypassed (rule 3.3) while ``Diagnostics/recordsRejectionTrails`` was
  /// on. So the trail of a long loop contains its last steps.
  public var passed: [CreationSite] { steps.stored.map { CreationSite($0.site) } }

  /// Describes in one line where the rejection began, which operators passed it on, and where the promise was made.
  public var description: String {
    var through = steps.stored.map { ($0.operation.map { "\($0.name) at " } ?? "") + CreationSite($0.site).description }
    if omittedCount > 0 { through.append("… \(omittedCount) more") }
    let way = through.isEmpty ? "" : ", through \(through.joined(separator: ", "))"
    return "rejected at \(rejectedAt)\(way), created at \(createdAt)"
  }

  /// Returns the trail of the same rejection after it was passed to another promise. Trails that have reached the
  /// maximum length share the storage of their sites.
  ///
  /// - Parameter follower: the entry by which the other promise has followed, if it is not an entry itself.
  func passed(to promise: AnyPromise, by follower: AnyPromise? = nil) -> RejectionTrail {
    var longer = self
    longer.steps.append((follower ?? promise).bypassed)
    longer.steps.append(promise)
    return longer
  }
}

/// The promises to which a rejection is passed, in order. The first are stored, further ones are only counted.
struct RejectionSteps {
  private static let most = 64

  private(set) var stored: [(site: Site, operation: Operation?)] = []
  /// Invariant: if this is not 0, the maximum number is stored.
  private(set) var omitted = 0

  mutating func append(_ promise: AnyPromise) {
    if stored.count < Self.most {
      stored.append((promise.site, promise.operation))
    } else {
      omitted += 1
    }
  }

  mutating func append(_ later: RejectionSteps) {
    let added = later.stored.prefix(Self.most - stored.count)
    // An append of nothing would copy storage that trails share.
    if !added.isEmpty { stored += added }
    omitted += later.stored.count - added.count + later.omitted
    assert(omitted == 0 || stored.count == Self.most)
  }
}

extension Diagnostics {
  /// Whether rejections record their path, for ``AnyPromise/rejectionTrail`` and ``UnhandledRejection``. The default is
  /// `false`.
  ///
  /// May be changed at any time, from any thread. The change applies to later rejections, and to promises that are
  /// bypassed later (rule 3.3). While it is off, each rejection and each bypassed promise costs one load. While it is
  /// on, each rejected promise has a side table, and so has each promise that waits past bypassed ones.
  public static var recordsRejectionTrails: Bool {
    get { tracing }
    set { tracing = newValue }
  }
}

extension AnyPromise {
  /// The path that the rejection of this promise has taken.
  ///
  /// `nil` if the promise is not rejected, or was rejected while ``Diagnostics/recordsRejectionTrails`` was off.
  /// Reading the trail does not handle the rejection (rule 7.1).
  ///
  /// - Complexity: O(1).
  public final var rejectionTrail: RejectionTrail? {
    let promise = resolved
    return promise.acquiredState.isDone ? promise.trail : nil
  }

  /// The trail of a promise that is known to be rejected.
  final var trail: RejectionTrail? { locked { side?.notes?.trail } }

  /// The bypassed promises between this entry and the promise for which it waits, from that one on.
  fileprivate final var bypassed: RejectionSteps { locked { side?.notes?.bypassed } ?? RejectionSteps() }

  /// Notes in these entries that they wait for the promise that this one has adopted, and not for this one any more.
  ///
  /// If another thread rejects or bypasses the adopted promise at this moment, the trail may lack this promise or have
  /// it in another place.
  final func noteBypassed(by entries: [AnyPromise]) {
    var way = bypassed
    way.append(self)
    for entry in entries {
      var steps = way
      entry.locked {
        let notes = entry.sideTable.madeNotes
        steps.append(notes.bypassed)
        swap(&steps, &notes.bypassed)
      }
    }
  }

  /// The trail of a rejection that begins at this promise, if rejections are traced.
  ///
  /// - Parameter site: the place where the owner has rejected the promise.
  final func newTrail(of outcome: Outcome, at site: Site? = nil) -> RejectionTrail? {
    guard Diagnostics.recordsRejectionTrails, case .error = outcome else { return nil }
    return RejectionTrail(of: self, at: site)
  }
}
