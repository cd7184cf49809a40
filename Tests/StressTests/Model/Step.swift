/// What a program does next. Promises and handlers are numbered, each from 0, in the order in which steps make them; contexts
/// are those of `Machine`.
enum Step: Hashable, Sendable {
  /// The owner of the next promise.
  case make
  case link(Int, Kind, on: Int, Deed)
  case start(Kind, on: Int, Deed)
  case shield(Int)
  case observe(Int, Kind, on: Int)
  case settle(Int, Ending)
  case follow(Int, Int)
  case cancel(Int, Failure)
  case abandon(Int)
  case hook(Int)
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

    /// Done first, by the handler itself.
    var first: Act?
    var result: Result

    static func gives(_ number: Int) -> Deed { Deed(result: .gives(number)) }
    static func fails(_ failure: Failure) -> Deed { Deed(result: .fails(failure)) }
    static func adopts(_ promise: Int) -> Deed { Deed(result: .adopts(promise)) }
    static func first(_ act: Act, _ deed: Deed) -> Deed { Deed(first: act, result: deed.result) }
  }

  /// A step that a handler may take.
  enum Act: Hashable, Sendable {
    case settle(Int, Ending)
    case follow(Int, Int)
    case cancel(Int, Failure)
    case abandon(Int)

    var step: Step {
      switch self {
      case .settle(let promise, let ending): .settle(promise, ending)
      case .follow(let promise, let other): .follow(promise, other)
      case .cancel(let promise, let reason): .cancel(promise, reason)
      case .abandon(let promise): .abandon(promise)
      }
    }
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

extension Step.Act: CustomStringConvertible {
  var description: String { step.description }
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
    case .observe(let promise, let kind, let context): ".observe(\(promise), .\(kind), on: \(context))"
    case .settle(let promise, let ending): ".settle(\(promise), \(ending))"
    case .follow(let promise, let other): ".follow(\(promise), \(other))"
    case .cancel(let promise, let reason): ".cancel(\(promise), \(reason))"
    case .abandon(let promise): ".abandon(\(promise))"
    case .hook(let promise): ".hook(\(promise))"
    case .dropOwner(let promise): ".dropOwner(\(promise))"
    case .drop(let promise): ".drop(\(promise))"
    case .run(let context): ".run(\(context))"
    case .dropJobs(let context): ".dropJobs(\(context))"
    }
  }
}
