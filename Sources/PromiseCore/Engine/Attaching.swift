import Synchronization

// An entry is attached: it is appended to the list of its source or, if the source is settled, fired.

extension AnyPromise {
  /// Attaches a new entry, which has this promise as its source, or that for which this one stands.
  ///
  /// A client promise is retained until its owner's promise has counted the entry, because this is a call of its
  /// method.
  ///
  /// - Parameter context: where the body runs for the outcomes that the entry handles. Without a context, the body of
  ///   an observer runs inside the call that settles this promise.
  @usableFromInline
  final func attach(
    _ entry: AnyPromise, on context: (any ExecutionContext)?, _ body: consuming HandlerBody?
  ) {
    if Diagnostics.isActive { return attachListed(entry, on: context, consume body) }
    attachPrepared(entry, on: context, consume body)
  }

  /// Attaches a new entry while diagnostics are active. The register and recorders know it once its source is written.
  @inline(never)
  private func attachListed(
    _ entry: AnyPromise, on context: (any ExecutionContext)?, _ body: consuming HandlerBody?
  ) {
    let source = resolved
    entry.hold(source.prepare(body, for: entry, on: context), on: context)
    // Under the lock, because a test world may know the entry already.
    entry.locked { unsafe entry.link.pointee.source = PromisePointer(self) }
    entry.list(from: source)
    entry.append(to: self)
  }

  private func attachPrepared(
    _ entry: AnyPromise, on context: (any ExecutionContext)?, _ body: consuming HandlerBody?
  ) {
    entry.hold(consume body, on: context)
    entry.wait(for: self)
  }

  /// Stores the body and the context of this entry, which no other thread knows yet.
  @inline(__always)
  private func hold(_ body: consuming HandlerBody?, on context: (any ExecutionContext)?) {
    assert(unsafe link.pointee.body == nil && link.pointee.context == nil, "An entry was given a second handler.")
    // Safe, because a new entry has neither. An assignment would call the runtime to release it.
    unsafe link.pointer(to: \.body)?.initialize(to: consume body)
    unsafe link.pointer(to: \.context)?.initialize(to: context)
    #if DEBUG
      unsafe link.pointee.debugContext = context
    #endif
  }

  /// Makes this entry wait for a source: writes the source, and appends the entry to its list. The caller retains both.
  /// No other thread knows the entry yet.
  final func wait(for source: AnyPromise) {
    unsafe link.pointee.source = PromisePointer(source)
    append(to: source)
  }

  /// Appends this entry, whose `source` is set, to the list of the source, or fires it if the source is settled.
  ///
  /// - Parameter looksAgain: whether other threads know the entry already, and may end it before it is in the list.
  /// - Returns: the state of this entry when it has looked again. `nil` if it has not, or if the source is settled.
  @discardableResult
  final func append(to source: AnyPromise, looksAgain: Bool = false) -> StateWord? {
    let entry = PromisePointer(self)
    // An adopter or a follower may have been ended by another thread, so its stage does not tell.
    let isMovable = looksAgain && (traits.contains(.follows) || !traits.contains(.isObserver))
    let consumes = !traits.contains(.isNotConsumer)
    // The reference of the list.
    entry.retain()
    let state = source.lock()
    if state.isPending {
      source.list.append(entry)
      source.unlock(state.attached(isMovable: isMovable, consumes: consumes))
      return looksAgain ? lookAgain(in: source) : nil
    }
    return appendLate(to: source, state, looksAgain: looksAgain)
  }

  /// Appends this entry to a promise that is settled or collapsed. That promise is locked.
  @inline(never)
  private func appendLate(to source: AnyPromise, _ state: StateWord, looksAgain: Bool) -> StateWord? {
    if state.isForwarded {
      source.unlock(state)
      PromisePointer(self).release()
      return redirect(to: source.forwardee.resolved, looksAgain: looksAgain)
    }
    let new = traits.hasPlace ? source.place(late: self, state) : state
    if !new.isClosed {
      // The settling thread fires it.
      source.sideTable.late.append(PromisePointer(self))
      source.unlock(new)
      return nil
    }
    source.unlock(new)
    var queue = FiringQueue()
    source.fire(PromisePointer(self), &queue)
    queue.fireAll()
    return nil
  }

  /// Makes this entry wait for another source, because its source was collapsed before it was appended. (Or the source
  /// is a client promise.) Does nothing if it has ended meanwhile.
  private func redirect(to source: AnyPromise, looksAgain: Bool) -> StateWord? {
    var state = lock()
    guard state.stage == .waiting || state.stage == .adopting, unsafe link.pointee.source != nil else {
      unlock(state)
      // The thread that has ended it has given up the promise that it did not find in the list.
      if looksAgain, givesUpAfterEnd(state) { leaveAfterEnd(Departure(promise: source), givingUp: true) }
      return looksAgain ? state : nil
    }
    unsafe link.pointee.source = PromisePointer(source)
    // An adopter keeps its place below its first source.
    if !state.isAdopter, traits.hasPlace { state = state.inStripe(of: source.relaxedState) }
    unlock(state)
    return append(to: source, looksAgain: looksAgain)
  }

  /// Makes this new entry, which waits for nothing, have its handler scheduled at once.
  @usableFromInline
  final func start(on context: any ExecutionContext, _ body: consuming HandlerBody?) {
    let isActive = Diagnostics.isActive
    if isActive { body = prepare(body, for: self, on: context) }
    start(on: context, body, source: nil, isListed: isActive)
  }

  /// - Parameters:
  ///   - source: a settled promise for which the handler runs, if any.
  ///   - isListed: whether the register and recorders get to know this entry.
  final func start(
    on context: any ExecutionContext, _ body: consuming HandlerBody?, source: AnyPromise?, isListed: Bool = false
  ) {
    if let source {
      PromisePointer(source).retain()
      unsafe link.pointee.source = PromisePointer(source)
    }
    let entry = PromisePointer(self)
    entry.retain()
    unsafe link.pointee.body = body
    #if DEBUG
      unsafe link.pointee.debugContext = context
    #endif
    withState { $0.stage = .scheduled }
    if isListed { list(from: nil) }
    context.scheduleUnchecked(UncheckedJob(entry))
  }
}

extension AnyPromise {
  /// Makes a job of a body of the library for this settled promise, apart from the entries that are still to be fired.
  /// A cancellation takes it back until it has started (rule 2.5).
  ///
  /// - Parameter traits: further traits of the job.
  /// - Returns: the job, or `nil` if a cancellation has taken it back already.
  final func takenBackJob(_ body: consuming HandlerBody, _ traits: Traits) -> UncheckedJob? {
    let observer = Entry<Never>(
      from: self, at: site, traits.union([.isObserver, .isNotConsumer, .isTakenBack, .value, .error]), weight: 0)
    observer.hold(body, on: nil)
    unsafe observer.link.pointee.source = PromisePointer(self)
    let state = lock()
    unlock(place(late: observer, state))
    // A canceller may find it from now on.
    let isTakenBack = observer.withState { state in
      if state.stage == .ended { return true }
      PromisePointer(self).retain()
      state.stage = .scheduled
      return false
    }
    if isTakenBack { return nil }
    // The reference of the job.
    PromisePointer(observer).retain()
    return UncheckedJob(PromisePointer(observer))
  }
}

// MARK: - Observers of the library

extension AnyPromise {
  /// Attaches an observer. Without a context its body runs inside the call that settles this promise.
  ///
  /// - Returns: the observer, for a caller that may detach it.
  @usableFromInline @discardableResult
  final func observe(on context: (any ExecutionContext)?, _ traits: Traits, _ body: consuming HandlerBody)
    -> AnyPromise
  {
    let observer = Entry<Never>(from: self, at: site, traits.union(.isObserver), weight: 0)
    attach(observer, on: context, consume body)
    return observer
  }

  /// Returns an observer for the list of this cancelled promise, by which the handler of an `always` runs with the
  /// reason. It owns a reference, and has a hold on the finish.
  final func observer(
    running handler: consuming HandlerBody, on context: (any ExecutionContext)?, holding finish: Finish?
  ) -> PromisePointer {
    let handler = handler
    var traits: Traits = [.isObserver, .value, .error, .isNotConsumer]
    if let operation = self.traits.operation { traits.formUnion(.made(by: operation)) }
    let observer = Entry<Never>(from: self, at: site, traits, weight: 0)
    unsafe observer.link.pointee.source = PromisePointer(self)
    observer.hold(HandlerBody { from, _ in handler(from, from) }, on: context)
    finish?.note(.handler(observer))
    observer.sideTable.finish = finish
    observer.sideTable.holdsFinish = true
    let pointer = PromisePointer(observer)
    pointer.retain()
    return pointer
  }

  /// Attaches an observer that is a function.
  @discardableResult
  final func observe(
    on context: (any ExecutionContext)?, _ traits: Traits, _ function: @escaping BodyFunction
  ) -> AnyPromise { observe(on: context, traits, HandlerBody(function)) }

  /// Calls a body of the library inside the call that settles this promise. The body is not a consumer (rule 4.0), and
  /// does not handle a rejection (rule 7.1).
  package final func whenSettled(_ body: @escaping @Sendable () -> Void) {
    observe(on: nil, [.value, .error, .isNotConsumer]) { _, _ in
      body()
      return .nothing
    }
  }

  /// Calls a body of the library inside the call that settles this promise, with the promise that is settled.
  ///
  /// That is the owner's promise. This promise may be a client promise, and no client may retain it any more.
  package final func whenSettled(_ body: @escaping @Sendable (AnyPromise) -> Void) { whenSettled([], body) }

  /// - Parameter traits: further traits of the observer.
  @discardableResult
  final func whenSettled(_ traits: Traits, _ body: @escaping @Sendable (AnyPromise) -> Void) -> AttachedObserver {
    attachObserver(on: nil, handling: traits.union([.value, .error, .isNotConsumer])) { settled, _ in
      body(settled)
      return .nothing
    }
  }
}

/// An observer that can be detached, for example of a loser of a race, or of a view that was deallocated (rule 4.9).
@usableFromInline
package struct AttachedObserver: Sendable {
  fileprivate let entry: AnyPromise

  /// Detaches the observer, so that it does not run. Returns `false` if it has run, is running, or was detached before.
  ///
  /// Its captures are released before this returns. If it was a consumer, the promise has one less (rule 4.0), but stays
  /// as it is even if none is left. May be called from any thread, including from the observer itself.
  @usableFromInline @discardableResult
  package func detach() -> Bool {
    guard let departure = entry.detach() else { return false }
    departure.leaveAlone()
    return true
  }
}

extension AnyPromise {
  /// Attaches a function that receives the outcome of this promise, and that can be detached.
  ///
  /// Without a context it runs inside the settling call, or inside this call if the promise is settled. Such a function
  /// must belong to the library. It must run no client code, and release nothing of the client.
  package final func attachObserver(
    on context: (any ExecutionContext)?, handling traits: Traits, _ function: @escaping BodyFunction
  ) -> AttachedObserver { AttachedObserver(entry: observe(on: context, traits, function)) }
}

extension ExecutionContext {
  /// Schedules a function of the library. If the context drops it, no promise is rejected.
  ///
  /// - Parameter site: the site of the promise that names the job in reports. The job does not retain this promise.
  package func schedule(at site: CreationSite, _ function: @escaping @Sendable () -> Void) {
    let body = HandlerBody { _, _ in
      function()
      return .nothing
    }
    Entry<Never>(startingAt: site.site, [.isObserver, .value]).start(on: self, body, source: nil)
  }
}

// MARK: - Fields that few promises have

extension StateWord {
  /// The entry waits for a promise that its handler has returned. Such an entry is not below its source.
  @inline(__always) var isAdopter: Bool { isEntry && stage == .adopting }

  /// Adds the weight of a new link to that of its source. Returns a side table for the sum if the word has no room.
  mutating func add(_ weight: Double, after source: PromisePointer) -> SideTable? {
    if let new = addingWeight(weight) {
      self = new
      return nil
    }
    let side = SideTable()
    side.weight = source.with { $0.weight } + (weight > 0 ? min(weight, 1e9) : 0)
    self = withWeightElsewhere()
    return side
  }
}

extension AnyPromise {
  /// The side table, which is created if there is none. Under the lock, or before other threads know this promise.
  final var sideTable: SideTable { side ?? makeSideTable() }

  @inline(never)
  private func makeSideTable() -> SideTable {
    let new = SideTable()
    side = new
    return new
  }
}
