/// A step of a program. Promises and handlers are numbered from 0, in the order in which steps make them. Contexts have
/// the numbers of `Machine`.
enum Step: Hashable, Sendable {
  /// Makes the next promise, with its owner.
  case make
  indirect case link(Int, Kind, on: Int, Behaviour)
  indirect case start(Kind, on: Int, Behaviour)
  case shield(Int)
  case combine(Combinator, [Int])
  /// Attaches an observer, which may take a step.
  indirect case observe(Int, Kind, on: Int, doing: Step? = nil)
  /// Starts a Task that waits for the value. The Task may have been cancelled before. It may give the promise up when
  /// it is cancelled.
  case await(Int, isCancelled: Bool = false, cancelsSource: Bool = false)
  /// Cancels all Tasks that wait for this promise.
  case cancelTasks(Int)
  case settle(Int, Ending)
  case follow(Int, Int)
  case cancel(Int, Failure, upstream: Bool = false)
  /// Registers a hook, which may take a step.
  indirect case hook(Int, doing: Step? = nil)
  /// Registers a hook that returns a promise for the end of the owner's work, and may take a step.
  indirect case awaitedHook(Int, HookCause, returning: Int, doing: Step? = nil)
  /// Reports the progress of an owner, in eighths. More than ten eighths stand for a report that is not a number.
  case report(Int, eighths: Int)
  /// Reads the progress and the parent.
  case look(Int)
  case dropOwner(Int)
  /// Releases a reference to a promise, which may be the last.
  case drop(Int)
  /// Runs jobs of a context until a handler has run.
  case run(Int)
  /// Drops all jobs of a context.
  case dropJobs(Int)

  /// The endings of a promise after which an awaited hook runs.
  enum HookCause: Hashable, Sendable {
    case cancel
    case anyEnd
  }

  /// The way in which an owner settles.
  enum Ending: Hashable, Sendable {
    case value(Int)
    case failure(Failure)
  }

  /// An error that client code makes.
  enum Failure: Hashable, Sendable {
    case test(Int)
    /// `CancellationError`. As a reason, it stands for a `cancel()` without a reason.
    case cancellation
  }

  /// The line of the creation site that reports name for the awaited hooks of a promise.
  static func line(ofHooksOf promise: Int) -> UInt { 1_000 + UInt(promise) }

  /// The behaviour of a handler.
  struct Behaviour: Hashable, Sendable {
    enum Result: Hashable, Sendable {
      /// Returns the value. With `validate` and `compactMap`, 0 refuses the value.
      case gives(Int)
      case fails(Failure)
      /// Throws the very error that it was given, if there is one.
      case throwsAgain
      /// Returns that promise, or throws if the program has released it. With `alwaysThen`, the promise is that of the
      /// cleanup. With the other results, the cleanup has ended at once.
      case adopts(Int)
    }

    /// The step that the handler takes first. It makes no promise, because promises are numbered in the order of the
    /// program.
    var first: Step?
    var result: Result

    static func gives(_ number: Int) -> Behaviour { Behaviour(result: .gives(number)) }
    static func fails(_ failure: Failure) -> Behaviour { Behaviour(result: .fails(failure)) }
    static func adopts(_ promise: Int) -> Behaviour { Behaviour(result: .adopts(promise)) }
    static func first(_ step: Step, _ behaviour: Behaviour) -> Behaviour {
      Behaviour(first: step, result: behaviour.result)
    }
  }
}

/// Returns a description of programs as source code, which can be pasted into a test.
func source(_ value: Any) -> String {
  "\(value)".replacing("StressTests.Step.Behaviour(", with: ".init(")
    .replacing(#/(StressTests|PromiseCombinators)\.(\w+\.)+/#, with: ".")
}
