// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func actor(_ add: Adding) {
    add("recover(on:_:)", false) { start, probe in start.recover(isolatedTo: probe.actor) { $0.note($1, 7) } }
    add("recover(from:on:_:)", false) { start, probe in
      start.recover(from: ParcelError.self, isolatedTo: probe.actor) { $0.note($1, 7) }
    }
    add("recoverFailure(on:_:)", false) { start, probe in
      start.recoverFailure(isolatedTo: probe.actor) { $0.note($1, 7) }
    }
    add("rescue(on:_:)", false) { start, probe in start.rescue(isolatedTo: probe.actor) { $0.note($1, .fulfilled(7)) } }
    add("rescue(from:on:_:)", false) { start, probe in
      start.rescue(from: ParcelError.self, isolatedTo: probe.actor) { $0.note($1, .fulfilled(7)) }
    }
    add("rescueFailure(on:_:)", false) { start, probe in
      start.rescueFailure(isolatedTo: probe.actor) { $0.note($1, .fulfilled(7)) }
    }
    add("catch(on:_:)", false) { start, probe in start.catch(isolatedTo: probe.actor) { $0.note($1) } }
    add("catch(only:where:on:_:)", false) { start, probe in
      start.catch(only: ParcelError.self, isolatedTo: probe.actor) { $0.note($1) }
    }
    add("catchThen(on:_:)", false) { start, probe in
      start.catchThen(isolatedTo: probe.actor) { $0.note($1, Promise.fulfilled(7)) }
    }
    add("catchFailure(on:_:)", false) { start, probe in start.catchFailure(isolatedTo: probe.actor) { $0.note($1) } }
    add("catchFailure(only:where:on:_:)", false) { start, probe in
      start.catchFailure(only: ParcelError.self, isolatedTo: probe.actor) { $0.note($1) }
    }
    add("markCancelled(on:_:)", false) { start, probe in
      start.markCancelled(isolatedTo: probe.actor) { $0.note($1, false) }
    }
    add("mapError(on:_:)", false) { start, probe in
      start.mapError(isolatedTo: probe.actor) { $0.note($1, ParcelError(7)) }
    }
    add("mapError(from:on:_:)", false) { start, probe in
      start.mapError(from: ParcelError.self, isolatedTo: probe.actor) { $0.note($1, ParcelError(7)) }
    }
    add("map(on:to:weight:_:)", false) { start, probe in
      start.map(isolatedTo: probe.actor, to: Parcel.self, weight: 3) { $0.note($1, 7) }
    }
    add("then(on:to:weight:_:)", false) { start, probe in
      start.then(isolatedTo: probe.actor, to: Parcel.self, weight: 3) { $0.note($1, .fulfilled(7)) }
    }
    add("map(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.map(
        isolatedTo: probe.actor, to: Parcel.self, weight: 3, fulfilled: { $0.note($1, 7) }, rejected: { $0.note($1, 7) }
      )
    }
    add("then(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.then(
        isolatedTo: probe.actor, to: Parcel.self, weight: 3, fulfilled: { $0.note($1, .fulfilled(7)) },
        rejected: { $0.note($1, .fulfilled(7)) })
    }
    add("tap(on:_:)", false) { start, probe in start.tap(isolatedTo: probe.actor) { $0.note($1) } }
    add("tapThen(on:weight:_:)", false) { start, probe in
      start.tapThen(isolatedTo: probe.actor, weight: 3) { $0.note($1, Promise.fulfilled(7)) }
    }
    add("always(on:_:)", false) { start, probe in start.always(isolatedTo: probe.actor) { $0.note($1) } }
    add("alwaysThen(on:_:)", false) { start, probe in
      start.alwaysThen(isolatedTo: probe.actor) { $0.note($1, Promise.fulfilled(7)) }
    }
    add("validate(on:message:error:_:)", false) { start, probe in
      start.validate(isolatedTo: probe.actor) { $0.note($1, false) }
    }
    add("compactMap(on:to:weight:_:)", false) { start, probe in
      start.compactMap(isolatedTo: probe.actor, to: Parcel.self, weight: 3) { $0.note($1, Optional(7)) }
    }
    add("onFulfilled(on:_:)", false) { start, probe in start.onFulfilled(isolatedTo: probe.actor) { $0.note($1) } }
    add("onRejected(on:_:)", false) { start, probe in start.onRejected(isolatedTo: probe.actor) { $0.note($1) } }
    add("onRejected(only:where:on:_:)", false) { start, probe in
      start.onRejected(only: ParcelError.self, isolatedTo: probe.actor) { $0.note($1) }
    }
    add("onFailed(on:_:)", false) { start, probe in start.onFailed(isolatedTo: probe.actor) { $0.note($1) } }
    add("onSettled(on:_:)", false) { start, probe in start.onSettled(isolatedTo: probe.actor) { $0.note($1) } }
    add("init(on:_:)", false) { _, probe in Promise<Parcel>(isolatedTo: probe.actor) { $1.fulfill($0.note("", 7)) } }
    add("run(on:_:)", false) { _, probe in Promise<Parcel>.run(isolatedTo: probe.actor) { $0.note("", 7) } }
    add("asyncMap(priority:to:weight:_:)", true) { start, probe in
      start.asyncMap(isolatedTo: probe.actor, priority: nil, to: Parcel.self, weight: 3) { $0.note($1, 7) }
    }
    add("asyncTap(priority:weight:_:)", true) { start, probe in
      start.asyncTap(isolatedTo: probe.actor, priority: nil, weight: 3) { $0.note($1) }
    }
    add("asyncAlways(priority:_:)", true) { start, probe in
      start.asyncAlways(isolatedTo: probe.actor, priority: nil) { $0.note($1) }
    }
    add("asyncRecover(priority:_:)", true) { start, probe in
      start.asyncRecover(isolatedTo: probe.actor, priority: nil) { $0.note($1, 7) }
    }
    add("asyncRecover(from:priority:_:)", true) { start, probe in
      start.asyncRecover(from: ParcelError.self, isolatedTo: probe.actor, priority: nil) { $0.note($1, 7) }
    }
    add("onProgress(on:_:)", false) { start, probe in start.onProgress(isolatedTo: probe.actor) { $0.note($1) } }
  }
}
