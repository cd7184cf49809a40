/// One line of a program of public operators. It makes a promise, or acts on promises of earlier lines.
///
/// Lines name each other by their numbers, which stay when other lines are removed. A line whose source was removed
/// does nothing.
struct RandomOperation: Equatable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    // Promises without a source.
    case owned, task, after, lazy
    // Links. They have one source.
    case map, then, recover, tapThen, always, alwaysThen, asyncMap, asyncAlways, timeout, delay, shield, waiter, follow
    // Combinators. They have two sources.
    case all, any, race, some, allSettled
    // Guests of gates, and promises that tell the state of a gate.
    case guest, asyncGuest, serialGuest, reader, writer, ratedGuest, whenIdle, whenRoom
    // Shared work.
    case cached, flight, lazyClient
    // Operators that call a closure repeatedly, and resources.
    case retry, carryingRetry, asyncRetry, traverse, traverseStream, forEachStream, asyncTraverse, using, asyncUsing
    // Observers. They make no promise.
    case onSettled, onFulfilled, onProgress, bind
    // Actions.
    case cancel, cancelUpstream, cancelBag, cancelLazy, startLazy, letGo, pauseGate, resumeGate, changePlaces, forget
    case steps, advance
  }

  let id: Int
  var kind: Kind
  /// The numbers of earlier lines.
  var first: Int
  var second: Int
  /// Determines durations, limits, and how work ends.
  var detail: Int
}

extension RandomOperation: CustomStringConvertible {
  var description: String { "\(id): \(kind)(\(first), \(second), \(detail))" }
}

extension RandomOperation.Kind {
  private static let sources: [Self] = [.owned, .task, .after, .lazy]
  private static let links: [Self] = [
    .map, .then, .recover, .tapThen, .always, .alwaysThen, .asyncMap, .asyncAlways, .timeout, .delay, .shield, .waiter,
    .follow,
  ]
  private static let others: [Self] = [
    .all, .any, .race, .some, .allSettled, .guest, .guest, .asyncGuest, .serialGuest, .reader, .writer, .ratedGuest,
    .whenIdle, .whenRoom, .cached, .flight, .flight, .lazyClient, .retry, .carryingRetry, .asyncRetry, .traverse,
    .traverseStream, .forEachStream, .asyncTraverse, .using, .asyncUsing,
  ]
  private static let actions: [Self] = [
    .onSettled, .onFulfilled, .onProgress, .bind, .cancel, .cancel, .cancelUpstream, .cancelUpstream, .cancelBag,
    .cancelLazy, .startLazy, .letGo, .pauseGate, .resumeGate, .changePlaces, .forget,
  ]
  private static let time: [Self] = [.steps, .steps, .advance]

  /// The kinds that one program uses. A program of a few kinds reaches states that a mixture of all hardly reaches,
  /// such as a gate whose queue is full.
  struct Palette {
    private let links: [RandomOperation.Kind]
    private let others: [RandomOperation.Kind]
    private let actions: [RandomOperation.Kind]

    init(using random: inout some RandomNumberGenerator) {
      links = Array(RandomOperation.Kind.links.shuffled(using: &random).prefix(4))
      others = Array(RandomOperation.Kind.others.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)))
      actions = Array(RandomOperation.Kind.actions.shuffled(using: &random).prefix(5))
    }

    func random(using random: inout some RandomNumberGenerator) -> RandomOperation.Kind {
      let kinds =
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<2: RandomOperation.Kind.sources
        case 2..<5: links
        case 5..<11: others
        case 11..<16: actions
        default: RandomOperation.Kind.time
        }
      return kinds[Int.random(in: 0..<kinds.count, using: &random)]
    }
  }

  var makesPromise: Bool { Self.sources.contains(self) || Self.links.contains(self) || Self.others.contains(self) }

  /// Whether the promise of the line is below its source (rule 4.0).
  var isLink: Bool {
    switch self {
    case .map, .then, .recover, .tapThen, .always, .alwaysThen, .asyncMap, .asyncAlways, .timeout, .delay, .shield: true
    default: false
    }
  }

  /// Whether a cancellation of the promise takes the handler back that has not started (rule 2.5).
  var isTakenBack: Bool { [.map, .then, .recover, .tapThen].contains(self) }

  /// Whether the handler runs once, whatever settles the promise (rule 2.5).
  var alwaysRuns: Bool { [.always, .alwaysThen, .asyncAlways].contains(self) }
}
