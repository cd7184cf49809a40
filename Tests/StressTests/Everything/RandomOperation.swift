/// One line of a program of public operators. It makes a promise, or acts on promises of earlier lines.
///
/// Lines name each other by their numbers, which stay when other lines are removed. A line whose source was removed
/// does nothing.
struct RandomOperation: Equatable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    // Promises without a source.
    case owned, task, after, lazy, run, body, limited, limitedOwner
    // Links. They have one source.
    case map, tap, validate, compactMap, unwrap, then, tapThen
    case recover, recoverFailure, rescue, rescueFailure, mapError, markCancelled, catchOnly, catchFailure, catchThen
    case mapBoth, thenBoth, always, alwaysThen, asyncMap, asyncTap, asyncRecover, asyncAlways
    case timeout, timeoutOrNil, delay, shield
    // Promises that wait for one source in another way.
    case waiter, follow, followInTime, relay, progressWaiter, finish, cancelAndFinish, asResult, join
    // Combinators. They have two sources.
    case all, pair, any, anyInOrder, anyEnumerated, race, raceEnumerated, raceNamed, some, allSettled, reduceAll
    // Guests of gates, and promises that tell the state of a gate or a bag.
    case guest, asyncGuest, serialGuest, asyncSerialGuest, reader, asyncReader, writer, asyncWriter
    case ratedGuest, asyncRatedGuest, place, whenIdle, whenEmpty, whenRoom, whenBagFinished
    // Shared work.
    case cached, asyncCached, staleCached, flight, asyncFlight, lazyClient, derivedLazy
    // Operators that call a closure repeatedly, and resources.
    case retry, carryingRetry, asyncRetry, traverse, traverseStream, forEachStream, asyncTraverse, using, asyncUsing
    case forEach, repeating, reduce, chain
    // Observers. They make no promise.
    case onSettled, onFulfilled, onRejected, onFailed, onProgress, bind
    // Actions.
    case cancel, cancelUpstream, cancelWork, cancelBag, closeBag, cancelLazy, startLazy, letGo, pauseGate, resumeGate
    case changePlaces, forget, steps, advance
  }

  let id: Int
  var kind: Kind
  /// The numbers of earlier lines.
  var first: Int
  var second: Int
  /// Determines durations, limits, and how work ends.
  var detail: Int

  /// Whether steps of an operator run inside each other.
  var isHasty: Bool { detail % 4 == 0 }
}

extension RandomOperation: CustomStringConvertible {
  var description: String { "\(id): \(kind)(\(first), \(second), \(detail))" }
}

extension RandomOperation.Kind {
  private static let sources: [Self] = [
    .owned, .owned, .owned, .task, .after, .lazy, .run, .body, .limited, .limitedOwner,
  ]
  private static let links: [Self] = [
    .map, .tap, .validate, .compactMap, .unwrap, .then, .tapThen, .recover, .recoverFailure, .rescue, .rescueFailure,
    .mapError, .markCancelled, .catchOnly, .catchFailure, .catchThen, .mapBoth, .thenBoth, .always, .alwaysThen,
    .asyncMap, .asyncTap, .asyncRecover, .asyncAlways, .timeout, .timeoutOrNil, .delay, .shield, .waiter, .follow,
    .followInTime, .relay, .progressWaiter, .finish, .cancelAndFinish, .asResult, .join,
  ]
  private static let others: [Self] = [
    .all, .pair, .any, .anyInOrder, .anyEnumerated, .race, .raceEnumerated, .raceNamed, .some, .allSettled, .reduceAll,
    .guest, .guest, .asyncGuest, .serialGuest, .asyncSerialGuest, .reader, .asyncReader, .writer, .asyncWriter,
    .ratedGuest, .asyncRatedGuest, .place, .whenIdle, .whenEmpty, .whenRoom, .whenBagFinished, .cached, .asyncCached,
    .staleCached, .flight, .asyncFlight, .lazyClient, .derivedLazy, .retry, .carryingRetry, .asyncRetry, .traverse,
    .traverseStream, .forEachStream, .asyncTraverse, .using, .asyncUsing, .forEach, .repeating, .reduce, .chain,
  ]
  private static let actions: [Self] = [
    .onSettled, .onFulfilled, .onRejected, .onFailed, .onProgress, .bind, .bind, .cancel, .cancel, .cancelUpstream,
    .cancelUpstream, .cancelWork, .cancelBag, .closeBag, .cancelLazy, .startLazy, .letGo, .pauseGate, .resumeGate,
    .changePlaces, .forget,
  ]
  private static let time: [Self] = [.steps, .steps, .advance]

  /// The kinds that one program uses. A program of a few kinds reaches states that a mixture of all hardly reaches,
  /// such as a gate whose queue is full.
  struct Palette {
    private let links: [RandomOperation.Kind]
    private let others: [RandomOperation.Kind]
    private let actions: [RandomOperation.Kind]

    init(using random: inout some RandomNumberGenerator) {
      let isNarrow = Bool.random(using: &random)
      links = Array(RandomOperation.Kind.links.shuffled(using: &random).prefix(isNarrow ? 2 : 5))
      others = Array(RandomOperation.Kind.others.shuffled(using: &random).prefix(Int.random(in: 1...5, using: &random)))
      actions = Array(RandomOperation.Kind.actions.shuffled(using: &random).prefix(isNarrow ? 3 : 6))
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
    case .tap, .validate, .compactMap, .unwrap, .mapBoth, .thenBoth, .catchOnly, .catchThen, .timeout,
      .delay, .shield, .asyncMap, .asyncTap, .asyncRecover:
      true
    default: isTakenBack && !isStart || alwaysRuns
    }
  }

  /// Whether a cancellation of the promise takes the handler back that has not started (rule 2.5).
  var isTakenBack: Bool {
    switch self {
    case .map, .tap, .validate, .compactMap, .then, .tapThen, .recover, .recoverFailure, .rescue, .rescueFailure,
      .mapError, .markCancelled, .catchFailure:
      true
    default: isStart
    }
  }

  /// Whether the handler starts a promise without a source.
  private var isStart: Bool { self == .run || self == .body }

  /// Whether the handler runs once, whatever settles the promise (rule 2.5).
  var alwaysRuns: Bool { [.always, .alwaysThen, .asyncAlways].contains(self) }
}
