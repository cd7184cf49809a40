/// What a program does next. Promises and handlers are numbered, each from 0, in the order in which steps make them; contexts
/// are those of `Machine`.
enum Step: Hashable, Sendable {
  /// The owner of the next promise.
  case make
  indirect case link(Int, Kind, on: Int, Deed)
  indirect case start(Kind, on: Int, Deed)
  case shield(Int)
  case combine(Combinator, [Int])
  /// What the observer does, if anything.
  indirect case observe(Int, Kind, on: Int, doing: Step? = nil)
  /// A Task waits for the value. It may have been cancelled before, and may give the promise up when it is.
  case await(Int, isCancelled: Bool = false, cancelsSource: Bool = false)
  /// Cancels all Tasks that wait for this promise.
  case cancelTasks(Int)
  case settle(Int, Ending)
  case follow(Int, Int)
  case cancel(Int, Failure, upstream: Bool = false)
  /// What the hook does, if anything.
  indirect case hook(Int, doing: Step? = nil)
  /// An owner's progress, in eighths; more than ten is no number.
  case report(Int, eighths: Int)
  /// Reads the progress and the parent.
  case look(Int)
  case dropOwner(Int)
  /// Lets go of what is perhaps the last reference to a promise.
  case drop(Int)
  /// Runs jobs of a context until a handler has run.
  case run(Int)
  /// A context lets all its jobs go.
  case dropJobs(Int)

  /// How an owner settles.
  enum Ending: Hashable, Sendable {
    case value(Int)
    case failure(Failure)
  }

  /// An error that a user makes.
  enum Failure: Hashable, Sendable {
    case test(Int)
    /// `CancellationError`; as a reason that of `cancel()`.
    case cancellation
  }

  /// What a handler does.
  struct Deed: Hashable, Sendable {
    enum Result: Hashable, Sendable {
      /// The value; for `validate` and `compactMap` 0 is a no.
      case gives(Int)
      case fails(Failure)
      /// Returns that promise; if the program has let go of it meanwhile, throws.
      case adopts(Int)
    }

    /// Done first, by the handler itself. It makes no promise, for these are numbered as the program makes them.
    var first: Step?
    var result: Result

    static func gives(_ number: Int) -> Deed { Deed(result: .gives(number)) }
    static func fails(_ failure: Failure) -> Deed { Deed(result: .fails(failure)) }
    static func adopts(_ promise: Int) -> Deed { Deed(result: .adopts(promise)) }
    static func first(_ step: Step, _ deed: Deed) -> Deed { Deed(first: step, result: deed.result) }
  }
}

// MARK: - As Swift, to be pasted into a test

extension Step.Failure: CustomStringConvertible {
  var description: String {
    switch self {
    case .test(let number): ".test(\(number))"
    case .cancellation: ".cancellation"
    }
  }
}

extension Step.Ending: CustomStringConvertible {
  var description: String {
    switch self {
    case .value(let number): ".value(\(number))"
    case .failure(let failure): ".failure(\(failure))"
    }
  }
}

extension Step.Deed: CustomStringConvertible {
  var description: String {
    let result =
      switch result {
      case .gives(let number): ".gives(\(number))"
      case .fails(let failure): ".fails(\(failure))"
      case .adopts(let promise): ".adopts(\(promise))"
      }
    return first.map { ".first(\($0), \(result))" } ?? result
  }
}

extension Step: CustomStringConvertible {
  var description: String {
    switch self {
    case .make: ".make"
    case .link(let promise, let kind, let context, let deed): ".link(\(promise), .\(kind), on: \(context), \(deed))"
    case .start(let kind, let context, let deed): ".start(.\(kind), on: \(context), \(deed))"
    case .shield(let promise): ".shield(\(promise))"
    case .combine(let combinator, let inputs): ".combine(\(combinator), \(inputs))"
    case .observe(let promise, let kind, let context, let act):
      ".observe(\(promise), .\(kind), on: \(context)\(Self.doing(act)))"
    case .await(let promise, let isCancelled, let cancelsSource):
      ".await(\(promise)\(isCancelled ? ", isCancelled: true" : "")\(cancelsSource ? ", cancelsSource: true" : ""))"
    case .cancelTasks(let promise): ".cancelTasks(\(promise))"
    case .settle(let promise, let ending): ".settle(\(promise), \(ending))"
    case .follow(let promise, let other): ".follow(\(promise), \(other))"
    case .cancel(let promise, let reason, let upstream):
      ".cancel(\(promise), \(reason)\(upstream ? ", upstream: true" : ""))"
    case .hook(let promise, let act): ".hook(\(promise)\(Self.doing(act)))"
    case .report(let promise, let eighths): ".report(\(promise), eighths: \(eighths))"
    case .look(let promise): ".look(\(promise))"
    case .dropOwner(let promise): ".dropOwner(\(promise))"
    case .drop(let promise): ".drop(\(promise))"
    case .run(let context): ".run(\(context))"
    case .dropJobs(let context): ".dropJobs(\(context))"
    }
  }
  private static func doing(_ act: Step?) -> String { act.map { ", doing: \($0)" } ?? "" }
}
