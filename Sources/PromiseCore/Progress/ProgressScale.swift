/// How the progress of one promise follows from that of another further up (rule 5.4).
///
/// Calculated in *amounts*, that is progress times weight: a promise that waits for the one it was derived from has
/// done what that one has done, in a larger whole. So along a chain of links only the amount at its top matters, and no
/// rounding piles up.
struct ProgressScale {
  /// What the promise has done already, whatever becomes of the other.
  private var done = 0.0
  /// What an amount of the other counts for.
  private var factor = 1.0
  /// What the promise weighs.
  private let whole: Double

  init(whole: Double) { self.whole = whole }

  /// The progress of the promise, where the other has done the amount.
  func value(at amount: Double) -> Double { min(1, (done + factor * amount) / whole) }

  /// Goes on from the other to a third, which it has adopted: its own amount is `amount` and `share` times the progress
  /// of that.
  func entering(_ amount: Double, share: Double, weight: Double) -> ProgressScale {
    var scale = self
    scale.done += factor * amount
    scale.factor *= share / weight
    return scale
  }
}
