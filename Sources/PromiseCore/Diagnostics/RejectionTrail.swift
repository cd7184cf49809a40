/// The way of a rejection: where it began, and the links and adopters that it passed (reference row N5).
///
/// Recorded only while ``Diagnostics/isTracing`` is on.
public struct RejectionTrail: Sendable, CustomStringConvertible {
  /// How many of the sites that a rejection passes are remembered; the rest is counted.
  static let longest = 64

  private let origin: Site
  private let rejection: Site
  private var sites: [Site] = []

  /// How many further sites were passed after ``passed``, which remembers the first 64.
  public private(set) var omitted = 0

  /// A rejection that began at a promise, by its link or by a call of its owner.
  init(of promise: AnyPromise, at site: Site? = nil) {
    origin = promise.site
    rejection = site ?? promise.site
  }

  /// Where it began: the call of ``Deferred/reject(_:fileID:line:)``, or the link whose handler threw.
  public var rejectedAt: CreationSite { CreationSite(rejection) }

  /// Where the promise was made that was rejected first.
  public var createdAt: CreationSite { CreationSite(origin) }

  /// Where the promises were made that it was passed to, in order.
  public var passed: [CreationSite] { sites.map(CreationSite.init) }

  /// One line: rejected where, through which links, created where.
  public var description: String {
    var through = passed.map(\.description)
    if omitted > 0 { through.append("… \(omitted) more") }
    let way = through.isEmpty ? "" : ", through \(through.joined(separator: ", "))"
    return "rejected at \(rejectedAt)\(way), created at \(createdAt)"
  }

  /// The same, passed on to another promise. Once it is long enough, all share the same sites.
  func passed(to promise: AnyPromise) -> RejectionTrail {
    var longer = self
    if sites.count < Self.longest { longer.sites.append(promise.site) } else { longer.omitted += 1 }
    return longer
  }
}

extension Diagnostics {
  /// Whether rejections record their way, for ``AnyPromise/rejectionTrail`` and ``UnhandledRejection``. Off by default.
  ///
  /// May be changed at any time, from any thread; applies to what is rejected from then on. While it is off a rejection
  /// pays a load; while it is on, each rejected promise takes a side table.
  public static var isTracing: Bool {
    get { tracing }
    set { tracing = newValue }
  }
}

extension AnyPromise {
  /// The way that the rejection of this promise came: rejected at A, through B, created at C (reference row N5).
  ///
  /// `nil` if the promise is not rejected, or was while ``Diagnostics/isTracing`` was off. To read it is not to look at the
  /// error (rule 7.1).
  ///
  /// - Complexity: O(1).
  public final var rejectionTrail: RejectionTrail? {
    let promise = resolved
    return promise.cell.isDone ? promise.trail : nil
  }

  /// That of a promise which is known to be rejected.
  final var trail: RejectionTrail? { side.table?.locked { $0.trail } }

  /// The claimer, before it publishes the promise, notes where it was rejected.
  @usableFromInline
  final func beginTrail(at site: Site? = nil) {
    guard Diagnostics.isTracing else { return }
    keep(RejectionTrail(of: self, at: site))
  }

  /// The same, for an error that was passed on.
  final func continueTrail(of source: AnyPromise) {
    guard Diagnostics.isTracing, let trail = source.trail else { return }
    keep(trail.passed(to: self))
  }

  private func keep(_ trail: RejectionTrail) {
    let old = side.getOrCreateTable().locked { contents in
      defer { contents.trail = trail }
      return contents.trail
    }
    withExtendedLifetime(old) {}
  }
}
