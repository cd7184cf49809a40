// Events from outside, whose moment the exploration of orders chooses.

extension TestWorld {
  /// Adds an event that is ready at once, and may come before or after any other step that is ready now or becomes
  /// ready without a move of time. So ``explore(schedules:seed:checking:_:)-18960`` finds the worst moment for it.
  ///
  /// The event never comes after a timer that is not due yet, because time moves only when no step is ready. If the
  /// code under test begins with a delay, or the event should come during one, use ``sometime(_:within:_:)``.
  ///
  /// ```swift
  /// world.sometime("late") { all.cancel() }
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name of the event in schedules.
  ///   - action: runs once, in the thread that runs the world. After the end of the world it is released unrun.
  public func sometime(_ name: String, _ action: @escaping @Sendable () -> Void) {
    sometimeContext.add(name, action)
  }

  /// Adds an event that comes at any moment within a duration of the world's time. So
  /// ``explore(schedules:seed:checking:_:)-18960`` finds the worst moment for it, also between timers.
  ///
  /// ```swift
  /// world.sometime("the user leaves", within: .seconds(10)) { page.cancel() }
  /// ```
  ///
  /// The event may come before or after each step, and when no step is ready and the time is about to move to a timer.
  /// If it has not come before, it becomes ready at the end of the duration, as a timer would. ``step()`` and
  /// ``runUntilIdle()``, which do not move the time, may leave it waiting. If the closure of
  /// ``run(checking:_:)->Result`` or of an exploration returns before the end of the duration, the event becomes ready
  /// then.
  ///
  /// In a test that is not explored, the event comes as late as it may.
  ///
  /// - Parameters:
  ///   - name: the name of the event in schedules.
  ///   - duration: the longest time until the event, from now. Fractions of a nanosecond are rounded up. For zero or
  ///     less, the event is ready at once, as with ``sometime(_:_:)``.
  ///   - action: runs once, in the thread that runs the world. After the end of the world it is released unrun.
  /// - Complexity: O(1). To choose a step takes time that is proportional to the number of events that wait.
  ///   ``exploreAll(atMost:checking:_:)-84kcw`` tries one more order for each step, and each move of the time, that the
  ///   event can precede.
  public func sometime(_ name: String, within duration: Duration, _ action: @escaping @Sendable () -> Void) {
    scheduler.addEvent(name, within: duration, action)
  }
}
