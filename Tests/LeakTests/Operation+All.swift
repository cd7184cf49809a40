extension Operation {
  /// What ``Listing`` lists.
  static let listed: [Operation] =
    families + owners + promises + contexts + combining + sequences + gates + timers + lazies + foundation + waits

  static let all: [Operation] = listed + bridges
}
