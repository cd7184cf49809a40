// Written by .ci/generate-families from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

private typealias Adding = (String, Bool, @escaping FamilyCall.Run) -> Void

extension FamilyCall {
  /// Every operation of every family, called.
  package static let all: [FamilyCall] = {
    var calls: [FamilyCall] = []
    core { calls.append(FamilyCall(family: .core, operation: $0, isAsync: $1, run: $2)) }
    pool { calls.append(FamilyCall(family: .pool, operation: $0, isAsync: $1, run: $2)) }
    main { calls.append(FamilyCall(family: .main, operation: $0, isAsync: $1, run: $2)) }
    actor { calls.append(FamilyCall(family: .actor, operation: $0, isAsync: $1, run: $2)) }
    onContext { calls.append(FamilyCall(family: .onContext, operation: $0, isAsync: $1, run: $2)) }
    onMain { calls.append(FamilyCall(family: .onMain, operation: $0, isAsync: $1, run: $2)) }
    onActor { calls.append(FamilyCall(family: .onActor, operation: $0, isAsync: $1, run: $2)) }
    return calls
  }()
}

private func core(_ add: Adding) {
  add("recover(on:fileID:line:_:)", false) { start, probe in
    start.recover(on: probe.manual) { error in
      probe.note("\(error)")
      return 7
    }
  }
  add("recover(from:on:fileID:line:_:)", false) { start, probe in
    start.recover(from: ParcelError.self, on: probe.manual) { error in
      probe.note("\(error)")
      return 7
    }
  }
  add("rescue(on:fileID:line:_:)", false) { start, probe in
    start.rescue(on: probe.manual) { error in
      probe.note("\(error)")
      return .fulfilled(7)
    }
  }
  add("catch(on:fileID:line:_:)", false) { start, probe in
    start.catch(on: probe.manual) { error in
      probe.note("\(error)")
    }
  }
  add("catch(only:on:fileID:line:_:)", false) { start, probe in
    start.catch(only: ParcelError.self, on: probe.manual) { error in
      probe.note("\(error)")
    }
  }
  add("mapError(on:fileID:line:_:)", false) { start, probe in
    start.mapError(on: probe.manual) { error in
      probe.note("\(error)")
      return ParcelError(7)
    }
  }
  add("map(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.map(on: probe.manual, to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return 7
    }
  }
  add("then(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.then(on: probe.manual, to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return .fulfilled(7)
    }
  }
  add("map(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.map(
      on: probe.manual, to: Parcel.self, weight: 3,
      fulfilled: { value in
        probe.note("\(value)")
        return 7
      },
      rejected: { error in
        probe.note("\(error)")
        return 7
      })
  }
  add("then(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.then(
      on: probe.manual, to: Parcel.self, weight: 3,
      fulfilled: { value in
        probe.note("\(value)")
        return .fulfilled(7)
      },
      rejected: { error in
        probe.note("\(error)")
        return .fulfilled(7)
      })
  }
  add("tap(on:fileID:line:_:)", false) { start, probe in
    start.tap(on: probe.manual) { value in
      probe.note("\(value)")
    }
  }
  add("always(on:fileID:line:_:)", false) { start, probe in
    start.always(on: probe.manual) { result in
      probe.note("\(result)")
    }
  }
  add("validate(on:fileID:line:_:)", false) { start, probe in
    start.validate(on: probe.manual) { value in
      probe.note("\(value)")
      return false
    }
  }
  add("compactMap(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.compactMap(on: probe.manual, to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return Optional(7)
    }
  }
  add("onFulfilled(on:_:)", false) { start, probe in
    start.onFulfilled(on: probe.manual) { value in
      probe.note("\(value)")
    }
  }
  add("onRejected(on:_:)", false) { start, probe in
    start.onRejected(on: probe.manual) { error in
      probe.note("\(error)")
    }
  }
  add("onSettled(on:_:)", false) { start, probe in
    start.onSettled(on: probe.manual) { result in
      probe.note("\(result)")
    }
  }
  add("init(on:fileID:line:_:)", false) { _, probe in
    Promise<Parcel>(on: probe.manual) { deferred in
      probe.note("")
      deferred.fulfill(7)
    }
  }
  add("run(on:fileID:line:_:)", false) { _, probe in
    Promise<Parcel>.run(on: probe.manual) {
      probe.note("")
      return 7
    }
  }
  add("asyncMap(priority:to:weight:fileID:line:_:)", true) { start, probe in
    start.asyncMap(priority: nil, to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return 7
    }
  }
  add("asyncTap(priority:fileID:line:_:)", true) { start, probe in
    start.asyncTap(priority: nil) { value in
      probe.note("\(value)")
    }
  }
  add("asyncRecover(priority:fileID:line:_:)", true) { start, probe in
    start.asyncRecover(priority: nil) { error in
      probe.note("\(error)")
      return 7
    }
  }
  add("onProgress(on:_:)", false) { start, probe in
    start.onProgress(on: probe.manual) { fraction in
      probe.note("\(fraction)")
    }
  }
}

private func pool(_ add: Adding) {
  add("recover(on:fileID:line:_:)", false) { start, probe in
    start.recover { error in
      probe.note("\(error)")
      return 7
    }
  }
  add("recover(from:on:fileID:line:_:)", false) { start, probe in
    start.recover(from: ParcelError.self) { error in
      probe.note("\(error)")
      return 7
    }
  }
  add("rescue(on:fileID:line:_:)", false) { start, probe in
    start.rescue { error in
      probe.note("\(error)")
      return .fulfilled(7)
    }
  }
  add("catch(on:fileID:line:_:)", false) { start, probe in
    start.catch { error in
      probe.note("\(error)")
    }
  }
  add("catch(only:on:fileID:line:_:)", false) { start, probe in
    start.catch(only: ParcelError.self) { error in
      probe.note("\(error)")
    }
  }
  add("mapError(on:fileID:line:_:)", false) { start, probe in
    start.mapError { error in
      probe.note("\(error)")
      return ParcelError(7)
    }
  }
  add("map(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.map(to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return 7
    }
  }
  add("then(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.then(to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return .fulfilled(7)
    }
  }
  add("map(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.map(
      to: Parcel.self, weight: 3,
      fulfilled: { value in
        probe.note("\(value)")
        return 7
      },
      rejected: { error in
        probe.note("\(error)")
        return 7
      })
  }
  add("then(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.then(
      to: Parcel.self, weight: 3,
      fulfilled: { value in
        probe.note("\(value)")
        return .fulfilled(7)
      },
      rejected: { error in
        probe.note("\(error)")
        return .fulfilled(7)
      })
  }
  add("tap(on:fileID:line:_:)", false) { start, probe in
    start.tap { value in
      probe.note("\(value)")
    }
  }
  add("always(on:fileID:line:_:)", false) { start, probe in
    start.always { result in
      probe.note("\(result)")
    }
  }
  add("validate(on:fileID:line:_:)", false) { start, probe in
    start.validate { value in
      probe.note("\(value)")
      return false
    }
  }
  add("compactMap(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.compactMap(to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return Optional(7)
    }
  }
  add("onFulfilled(on:_:)", false) { start, probe in
    start.onFulfilled { value in
      probe.note("\(value)")
    }
  }
  add("onRejected(on:_:)", false) { start, probe in
    start.onRejected { error in
      probe.note("\(error)")
    }
  }
  add("onSettled(on:_:)", false) { start, probe in
    start.onSettled { result in
      probe.note("\(result)")
    }
  }
  add("run(on:fileID:line:_:)", false) { _, probe in
    Promise<Parcel>.run {
      probe.note("")
      return 7
    }
  }
  add("onProgress(on:_:)", false) { start, probe in
    start.onProgress { fraction in
      probe.note("\(fraction)")
    }
  }
}

private func main(_ add: Adding) {
  add("recover(on:fileID:line:_:)", false) { start, probe in
    start.recover(on: .main) { error in
      probe.noteOnMain("\(error)")
      return 7
    }
  }
  add("recover(from:on:fileID:line:_:)", false) { start, probe in
    start.recover(from: ParcelError.self, on: .main) { error in
      probe.noteOnMain("\(error)")
      return 7
    }
  }
  add("rescue(on:fileID:line:_:)", false) { start, probe in
    start.rescue(on: .main) { error in
      probe.noteOnMain("\(error)")
      return .fulfilled(7)
    }
  }
  add("catch(on:fileID:line:_:)", false) { start, probe in
    start.catch(on: .main) { error in
      probe.noteOnMain("\(error)")
    }
  }
  add("catch(only:on:fileID:line:_:)", false) { start, probe in
    start.catch(only: ParcelError.self, on: .main) { error in
      probe.noteOnMain("\(error)")
    }
  }
  add("mapError(on:fileID:line:_:)", false) { start, probe in
    start.mapError(on: .main) { error in
      probe.noteOnMain("\(error)")
      return ParcelError(7)
    }
  }
  add("map(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.map(on: .main, to: Parcel.self, weight: 3) { value in
      probe.noteOnMain("\(value)")
      return 7
    }
  }
  add("then(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.then(on: .main, to: Parcel.self, weight: 3) { value in
      probe.noteOnMain("\(value)")
      return .fulfilled(7)
    }
  }
  add("map(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.map(
      on: .main, to: Parcel.self, weight: 3,
      fulfilled: { value in
        probe.noteOnMain("\(value)")
        return 7
      },
      rejected: { error in
        probe.noteOnMain("\(error)")
        return 7
      })
  }
  add("then(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.then(
      on: .main, to: Parcel.self, weight: 3,
      fulfilled: { value in
        probe.noteOnMain("\(value)")
        return .fulfilled(7)
      },
      rejected: { error in
        probe.noteOnMain("\(error)")
        return .fulfilled(7)
      })
  }
  add("tap(on:fileID:line:_:)", false) { start, probe in
    start.tap(on: .main) { value in
      probe.noteOnMain("\(value)")
    }
  }
  add("always(on:fileID:line:_:)", false) { start, probe in
    start.always(on: .main) { result in
      probe.noteOnMain("\(result)")
    }
  }
  add("validate(on:fileID:line:_:)", false) { start, probe in
    start.validate(on: .main) { value in
      probe.noteOnMain("\(value)")
      return false
    }
  }
  add("compactMap(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.compactMap(on: .main, to: Parcel.self, weight: 3) { value in
      probe.noteOnMain("\(value)")
      return Optional(7)
    }
  }
  add("onFulfilled(on:_:)", false) { start, probe in
    start.onFulfilled(on: .main) { value in
      probe.noteOnMain("\(value)")
    }
  }
  add("onRejected(on:_:)", false) { start, probe in
    start.onRejected(on: .main) { error in
      probe.noteOnMain("\(error)")
    }
  }
  add("onSettled(on:_:)", false) { start, probe in
    start.onSettled(on: .main) { result in
      probe.noteOnMain("\(result)")
    }
  }
  add("init(on:fileID:line:_:)", false) { _, probe in
    Promise<Parcel>(on: .main) { deferred in
      probe.noteOnMain("")
      deferred.fulfill(7)
    }
  }
  add("run(on:fileID:line:_:)", false) { _, probe in
    Promise<Parcel>.run(on: .main) {
      probe.noteOnMain("")
      return 7
    }
  }
  add("asyncMap(priority:to:weight:fileID:line:_:)", true) { start, probe in
    start.asyncMap(on: .main, priority: nil, to: Parcel.self, weight: 3) { value in
      probe.noteOnMain("\(value)")
      return 7
    }
  }
  add("asyncTap(priority:fileID:line:_:)", true) { start, probe in
    start.asyncTap(on: .main, priority: nil) { value in
      probe.noteOnMain("\(value)")
    }
  }
  add("asyncRecover(priority:fileID:line:_:)", true) { start, probe in
    start.asyncRecover(on: .main, priority: nil) { error in
      probe.noteOnMain("\(error)")
      return 7
    }
  }
  add("onProgress(on:_:)", false) { start, probe in
    start.onProgress(on: .main) { fraction in
      probe.noteOnMain("\(fraction)")
    }
  }
}

private func actor(_ add: Adding) {
  add("recover(on:fileID:line:_:)", false) { start, probe in
    start.recover(isolatedTo: probe.actor) { actor, error in
      actor.note("\(error)")
      return 7
    }
  }
  add("recover(from:on:fileID:line:_:)", false) { start, probe in
    start.recover(from: ParcelError.self, isolatedTo: probe.actor) { actor, error in
      actor.note("\(error)")
      return 7
    }
  }
  add("rescue(on:fileID:line:_:)", false) { start, probe in
    start.rescue(isolatedTo: probe.actor) { actor, error in
      actor.note("\(error)")
      return .fulfilled(7)
    }
  }
  add("catch(on:fileID:line:_:)", false) { start, probe in
    start.catch(isolatedTo: probe.actor) { actor, error in
      actor.note("\(error)")
    }
  }
  add("catch(only:on:fileID:line:_:)", false) { start, probe in
    start.catch(only: ParcelError.self, isolatedTo: probe.actor) { actor, error in
      actor.note("\(error)")
    }
  }
  add("mapError(on:fileID:line:_:)", false) { start, probe in
    start.mapError(isolatedTo: probe.actor) { actor, error in
      actor.note("\(error)")
      return ParcelError(7)
    }
  }
  add("map(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.map(isolatedTo: probe.actor, to: Parcel.self, weight: 3) { actor, value in
      actor.note("\(value)")
      return 7
    }
  }
  add("then(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.then(isolatedTo: probe.actor, to: Parcel.self, weight: 3) { actor, value in
      actor.note("\(value)")
      return .fulfilled(7)
    }
  }
  add("map(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.map(
      isolatedTo: probe.actor, to: Parcel.self, weight: 3,
      fulfilled: { actor, value in
        actor.note("\(value)")
        return 7
      },
      rejected: { actor, error in
        actor.note("\(error)")
        return 7
      })
  }
  add("then(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.then(
      isolatedTo: probe.actor, to: Parcel.self, weight: 3,
      fulfilled: { actor, value in
        actor.note("\(value)")
        return .fulfilled(7)
      },
      rejected: { actor, error in
        actor.note("\(error)")
        return .fulfilled(7)
      })
  }
  add("tap(on:fileID:line:_:)", false) { start, probe in
    start.tap(isolatedTo: probe.actor) { actor, value in
      actor.note("\(value)")
    }
  }
  add("always(on:fileID:line:_:)", false) { start, probe in
    start.always(isolatedTo: probe.actor) { actor, result in
      actor.note("\(result)")
    }
  }
  add("validate(on:fileID:line:_:)", false) { start, probe in
    start.validate(isolatedTo: probe.actor) { actor, value in
      actor.note("\(value)")
      return false
    }
  }
  add("compactMap(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.compactMap(isolatedTo: probe.actor, to: Parcel.self, weight: 3) { actor, value in
      actor.note("\(value)")
      return Optional(7)
    }
  }
  add("onFulfilled(on:_:)", false) { start, probe in
    start.onFulfilled(isolatedTo: probe.actor) { actor, value in
      actor.note("\(value)")
    }
  }
  add("onRejected(on:_:)", false) { start, probe in
    start.onRejected(isolatedTo: probe.actor) { actor, error in
      actor.note("\(error)")
    }
  }
  add("onSettled(on:_:)", false) { start, probe in
    start.onSettled(isolatedTo: probe.actor) { actor, result in
      actor.note("\(result)")
    }
  }
  add("init(on:fileID:line:_:)", false) { _, probe in
    Promise<Parcel>(isolatedTo: probe.actor) { actor, deferred in
      actor.note("")
      deferred.fulfill(7)
    }
  }
  add("run(on:fileID:line:_:)", false) { _, probe in
    Promise<Parcel>.run(isolatedTo: probe.actor) { actor in
      actor.note("")
      return 7
    }
  }
  add("asyncMap(priority:to:weight:fileID:line:_:)", true) { start, probe in
    start.asyncMap(isolatedTo: probe.actor, priority: nil, to: Parcel.self, weight: 3) { actor, value in
      actor.note("\(value)")
      return 7
    }
  }
  add("asyncTap(priority:fileID:line:_:)", true) { start, probe in
    start.asyncTap(isolatedTo: probe.actor, priority: nil) { actor, value in
      actor.note("\(value)")
    }
  }
  add("asyncRecover(priority:fileID:line:_:)", true) { start, probe in
    start.asyncRecover(isolatedTo: probe.actor, priority: nil) { actor, error in
      actor.note("\(error)")
      return 7
    }
  }
  add("onProgress(on:_:)", false) { start, probe in
    start.onProgress(isolatedTo: probe.actor) { actor, fraction in
      actor.note("\(fraction)")
    }
  }
}

private func onContext(_ add: Adding) {
  add("recover(on:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).recover { error in
      probe.note("\(error)")
      return 7
    }.promise
  }
  add("recover(from:on:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).recover(from: ParcelError.self) { error in
      probe.note("\(error)")
      return 7
    }.promise
  }
  add("rescue(on:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).rescue { error in
      probe.note("\(error)")
      return .fulfilled(7)
    }.promise
  }
  add("catch(on:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).catch { error in
      probe.note("\(error)")
    }.promise
  }
  add("catch(only:on:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).catch(only: ParcelError.self) { error in
      probe.note("\(error)")
    }.promise
  }
  add("mapError(on:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).mapError { error in
      probe.note("\(error)")
      return ParcelError(7)
    }.promise
  }
  add("map(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).map(to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return 7
    }.promise
  }
  add("then(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).then(to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return .fulfilled(7)
    }.promise
  }
  add("map(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.on(probe.context).map(
      to: Parcel.self, weight: 3,
      fulfilled: { value in
        probe.note("\(value)")
        return 7
      },
      rejected: { error in
        probe.note("\(error)")
        return 7
      }
    ).promise
  }
  add("then(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.on(probe.context).then(
      to: Parcel.self, weight: 3,
      fulfilled: { value in
        probe.note("\(value)")
        return .fulfilled(7)
      },
      rejected: { error in
        probe.note("\(error)")
        return .fulfilled(7)
      }
    ).promise
  }
  add("tap(on:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).tap { value in
      probe.note("\(value)")
    }.promise
  }
  add("always(on:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).always { result in
      probe.note("\(result)")
    }.promise
  }
  add("validate(on:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).validate { value in
      probe.note("\(value)")
      return false
    }.promise
  }
  add("compactMap(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.on(probe.context).compactMap(to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return Optional(7)
    }.promise
  }
  add("onFulfilled(on:_:)", false) { start, probe in
    start.on(probe.context).onFulfilled { value in
      probe.note("\(value)")
    }.promise
  }
  add("onRejected(on:_:)", false) { start, probe in
    start.on(probe.context).onRejected { error in
      probe.note("\(error)")
    }.promise
  }
  add("onSettled(on:_:)", false) { start, probe in
    start.on(probe.context).onSettled { result in
      probe.note("\(result)")
    }.promise
  }
  add("asyncMap(priority:to:weight:fileID:line:_:)", true) { start, probe in
    start.on(probe.context).asyncMap(priority: nil, to: Parcel.self, weight: 3) { value in
      probe.note("\(value)")
      return 7
    }.promise
  }
  add("asyncTap(priority:fileID:line:_:)", true) { start, probe in
    start.on(probe.context).asyncTap(priority: nil) { value in
      probe.note("\(value)")
    }.promise
  }
  add("asyncRecover(priority:fileID:line:_:)", true) { start, probe in
    start.on(probe.context).asyncRecover(priority: nil) { error in
      probe.note("\(error)")
      return 7
    }.promise
  }
  add("onProgress(on:_:)", false) { start, probe in
    start.on(probe.context).onProgress { fraction in
      probe.note("\(fraction)")
    }.promise
  }
}

private func onMain(_ add: Adding) {
  add("recover(on:fileID:line:_:)", false) { start, probe in
    start.on(.main).recover { error in
      probe.noteOnMain("\(error)")
      return 7
    }.promise
  }
  add("recover(from:on:fileID:line:_:)", false) { start, probe in
    start.on(.main).recover(from: ParcelError.self) { error in
      probe.noteOnMain("\(error)")
      return 7
    }.promise
  }
  add("rescue(on:fileID:line:_:)", false) { start, probe in
    start.on(.main).rescue { error in
      probe.noteOnMain("\(error)")
      return .fulfilled(7)
    }.promise
  }
  add("catch(on:fileID:line:_:)", false) { start, probe in
    start.on(.main).catch { error in
      probe.noteOnMain("\(error)")
    }.promise
  }
  add("catch(only:on:fileID:line:_:)", false) { start, probe in
    start.on(.main).catch(only: ParcelError.self) { error in
      probe.noteOnMain("\(error)")
    }.promise
  }
  add("mapError(on:fileID:line:_:)", false) { start, probe in
    start.on(.main).mapError { error in
      probe.noteOnMain("\(error)")
      return ParcelError(7)
    }.promise
  }
  add("map(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.on(.main).map(to: Parcel.self, weight: 3) { value in
      probe.noteOnMain("\(value)")
      return 7
    }.promise
  }
  add("then(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.on(.main).then(to: Parcel.self, weight: 3) { value in
      probe.noteOnMain("\(value)")
      return .fulfilled(7)
    }.promise
  }
  add("map(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.on(.main).map(
      to: Parcel.self, weight: 3,
      fulfilled: { value in
        probe.noteOnMain("\(value)")
        return 7
      },
      rejected: { error in
        probe.noteOnMain("\(error)")
        return 7
      }
    ).promise
  }
  add("then(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.on(.main).then(
      to: Parcel.self, weight: 3,
      fulfilled: { value in
        probe.noteOnMain("\(value)")
        return .fulfilled(7)
      },
      rejected: { error in
        probe.noteOnMain("\(error)")
        return .fulfilled(7)
      }
    ).promise
  }
  add("tap(on:fileID:line:_:)", false) { start, probe in
    start.on(.main).tap { value in
      probe.noteOnMain("\(value)")
    }.promise
  }
  add("always(on:fileID:line:_:)", false) { start, probe in
    start.on(.main).always { result in
      probe.noteOnMain("\(result)")
    }.promise
  }
  add("validate(on:fileID:line:_:)", false) { start, probe in
    start.on(.main).validate { value in
      probe.noteOnMain("\(value)")
      return false
    }.promise
  }
  add("compactMap(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.on(.main).compactMap(to: Parcel.self, weight: 3) { value in
      probe.noteOnMain("\(value)")
      return Optional(7)
    }.promise
  }
  add("onFulfilled(on:_:)", false) { start, probe in
    start.on(.main).onFulfilled { value in
      probe.noteOnMain("\(value)")
    }.promise
  }
  add("onRejected(on:_:)", false) { start, probe in
    start.on(.main).onRejected { error in
      probe.noteOnMain("\(error)")
    }.promise
  }
  add("onSettled(on:_:)", false) { start, probe in
    start.on(.main).onSettled { result in
      probe.noteOnMain("\(result)")
    }.promise
  }
  add("asyncMap(priority:to:weight:fileID:line:_:)", true) { start, probe in
    start.on(.main).asyncMap(priority: nil, to: Parcel.self, weight: 3) { value in
      probe.noteOnMain("\(value)")
      return 7
    }.promise
  }
  add("asyncTap(priority:fileID:line:_:)", true) { start, probe in
    start.on(.main).asyncTap(priority: nil) { value in
      probe.noteOnMain("\(value)")
    }.promise
  }
  add("asyncRecover(priority:fileID:line:_:)", true) { start, probe in
    start.on(.main).asyncRecover(priority: nil) { error in
      probe.noteOnMain("\(error)")
      return 7
    }.promise
  }
  add("onProgress(on:_:)", false) { start, probe in
    start.on(.main).onProgress { fraction in
      probe.noteOnMain("\(fraction)")
    }.promise
  }
}

private func onActor(_ add: Adding) {
  add("recover(on:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).recover { actor, error in
      actor.note("\(error)")
      return 7
    }.promise
  }
  add("recover(from:on:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).recover(from: ParcelError.self) { actor, error in
      actor.note("\(error)")
      return 7
    }.promise
  }
  add("rescue(on:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).rescue { actor, error in
      actor.note("\(error)")
      return .fulfilled(7)
    }.promise
  }
  add("catch(on:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).catch { actor, error in
      actor.note("\(error)")
    }.promise
  }
  add("catch(only:on:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).catch(only: ParcelError.self) { actor, error in
      actor.note("\(error)")
    }.promise
  }
  add("mapError(on:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).mapError { actor, error in
      actor.note("\(error)")
      return ParcelError(7)
    }.promise
  }
  add("map(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).map(to: Parcel.self, weight: 3) { actor, value in
      actor.note("\(value)")
      return 7
    }.promise
  }
  add("then(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).then(to: Parcel.self, weight: 3) { actor, value in
      actor.note("\(value)")
      return .fulfilled(7)
    }.promise
  }
  add("map(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).map(
      to: Parcel.self, weight: 3,
      fulfilled: { actor, value in
        actor.note("\(value)")
        return 7
      },
      rejected: { actor, error in
        actor.note("\(error)")
        return 7
      }
    ).promise
  }
  add("then(on:to:weight:fileID:line:fulfilled:rejected:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).then(
      to: Parcel.self, weight: 3,
      fulfilled: { actor, value in
        actor.note("\(value)")
        return .fulfilled(7)
      },
      rejected: { actor, error in
        actor.note("\(error)")
        return .fulfilled(7)
      }
    ).promise
  }
  add("tap(on:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).tap { actor, value in
      actor.note("\(value)")
    }.promise
  }
  add("always(on:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).always { actor, result in
      actor.note("\(result)")
    }.promise
  }
  add("validate(on:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).validate { actor, value in
      actor.note("\(value)")
      return false
    }.promise
  }
  add("compactMap(on:to:weight:fileID:line:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).compactMap(to: Parcel.self, weight: 3) { actor, value in
      actor.note("\(value)")
      return Optional(7)
    }.promise
  }
  add("onFulfilled(on:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).onFulfilled { actor, value in
      actor.note("\(value)")
    }.promise
  }
  add("onRejected(on:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).onRejected { actor, error in
      actor.note("\(error)")
    }.promise
  }
  add("onSettled(on:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).onSettled { actor, result in
      actor.note("\(result)")
    }.promise
  }
  add("asyncMap(priority:to:weight:fileID:line:_:)", true) { start, probe in
    start.on(isolatedTo: probe.actor).asyncMap(priority: nil, to: Parcel.self, weight: 3) { actor, value in
      actor.note("\(value)")
      return 7
    }.promise
  }
  add("asyncTap(priority:fileID:line:_:)", true) { start, probe in
    start.on(isolatedTo: probe.actor).asyncTap(priority: nil) { actor, value in
      actor.note("\(value)")
    }.promise
  }
  add("asyncRecover(priority:fileID:line:_:)", true) { start, probe in
    start.on(isolatedTo: probe.actor).asyncRecover(priority: nil) { actor, error in
      actor.note("\(error)")
      return 7
    }.promise
  }
  add("onProgress(on:_:)", false) { start, probe in
    start.on(isolatedTo: probe.actor).onProgress { actor, fraction in
      actor.note("\(fraction)")
    }.promise
  }
}
