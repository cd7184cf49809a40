/// Converts the progress of a promise above into that of the observed promise (rule 5.4).
///
/// The unit is an *amount*, which is progress times weight. A promise that waits for its source has the amount of its
/// source, in a larger whole. So only the amount at the top of a chain of links matters, and rounding errors do not
/// accumulate.
struct ProgressScale {
  /// The amount that the observed promise has, whatever the progress of the promise above.
  private var done = 0.0
  /// The factor that converts an amount of the promise above into an amount of the observed promise.
  private var factor = 1.0
  /// The weight of the observed promise.
  private let whole: Double

  init(whole: Double) { self.whole = whole }

  /// Returns the progress of the observed promise if the promise above has the given amount.
  func value(at amount: Double) -> Double { min(1, (done + factor * amount) / whole) }

  /// Returns the scale for a promise that the promise above has adopted. The amount of the promise above is `amount`,
  /// plus `share` times the progress of the adopted promise.
  func entering(_ amount: Double, share: Double, weight: Double) -> ProgressScale {
    var scale = self
    scale.done += factor * amount
    scale.factor *= share / weight
    return scale
  }
}
