// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func onActor(_ add: Adding) {
    add("recover(on:_:)", false) { start, probe in start.on(isolatedTo: probe.actor).recover { $0.note($1, 7) }.promise
    }
    add("recover(from:on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).recover(from: ParcelError.self) { $0.note($1, 7) }.promise
    }
    add("recoverFailure(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).recoverFailure { $0.note($1, 7) }.promise
    }
    add("rescue(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).rescue { $0.note($1, .fulfilled(7)) }.promise
    }
    add("rescue(from:on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).rescue(from: ParcelError.self) { $0.note($1, .fulfilled(7)) }.promise
    }
    add("rescueFailure(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).rescueFailure { $0.note($1, .fulfilled(7)) }.promise
    }
    add("catch(on:_:)", false) { start, probe in start.on(isolatedTo: probe.actor).catch { $0.note($1) }.promise }
    add("catch(only:where:on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).catch(only: ParcelError.self) { $0.note($1) }.promise
    }
    add("catchThen(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).catchThen { $0.note($1, Promise.fulfilled(7)) }.promise
    }
    add("catchFailure(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).catchFailure { $0.note($1) }.promise
    }
    add("catchFailure(only:where:on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).catchFailure(only: ParcelError.self) { $0.note($1) }.promise
    }
    add("markCancelled(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).markCancelled { $0.note($1, false) }.promise
    }
    add("mapError(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).mapError { $0.note($1, ParcelError(7)) }.promise
    }
    add("mapError(from:on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).mapError(from: ParcelError.self) { $0.note($1, ParcelError(7)) }.promise
    }
    add("map(on:to:weight:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).map(to: Parcel.self, weight: 3) { $0.note($1, 7) }.promise
    }
    add("then(on:to:weight:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).then(to: Parcel.self, weight: 3) { $0.note($1, .fulfilled(7)) }.promise
    }
    add("map(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).map(
        to: Parcel.self, weight: 3, fulfilled: { $0.note($1, 7) }, rejected: { $0.note($1, 7) }
      ).promise
    }
    add("then(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).then(
        to: Parcel.self, weight: 3, fulfilled: { $0.note($1, .fulfilled(7)) }, rejected: { $0.note($1, .fulfilled(7)) }
      ).promise
    }
    add("tap(on:_:)", false) { start, probe in start.on(isolatedTo: probe.actor).tap { $0.note($1) }.promise }
    add("tapThen(on:weight:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).tapThen(weight: 3) { $0.note($1, Promise.fulfilled(7)) }.promise
    }
    add("always(on:_:)", false) { start, probe in start.on(isolatedTo: probe.actor).always { $0.note($1) }.promise }
    add("alwaysThen(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).alwaysThen { $0.note($1, Promise.fulfilled(7)) }.promise
    }
    add("validate(on:message:error:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).validate { $0.note($1, false) }.promise
    }
    add("compactMap(on:to:weight:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).compactMap(to: Parcel.self, weight: 3) { $0.note($1, Optional(7)) }.promise
    }
    add("onFulfilled(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).onFulfilled { $0.note($1) }.promise
    }
    add("onRejected(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).onRejected { $0.note($1) }.promise
    }
    add("onRejected(only:where:on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).onRejected(only: ParcelError.self) { $0.note($1) }.promise
    }
    add("onFailed(on:_:)", false) { start, probe in start.on(isolatedTo: probe.actor).onFailed { $0.note($1) }.promise }
    add("onSettled(on:_:)", false) { start, probe in start.on(isolatedTo: probe.actor).onSettled { $0.note($1) }.promise
    }
    add("asyncMap(priority:to:weight:_:)", true) { start, probe in
      start.on(isolatedTo: probe.actor).asyncMap(priority: nil, to: Parcel.self, weight: 3) { $0.note($1, 7) }.promise
    }
    add("asyncTap(priority:weight:_:)", true) { start, probe in
      start.on(isolatedTo: probe.actor).asyncTap(priority: nil, weight: 3) { $0.note($1) }.promise
    }
    add("asyncAlways(priority:_:)", true) { start, probe in
      start.on(isolatedTo: probe.actor).asyncAlways(priority: nil) { $0.note($1) }.promise
    }
    add("asyncRecover(priority:_:)", true) { start, probe in
      start.on(isolatedTo: probe.actor).asyncRecover(priority: nil) { $0.note($1, 7) }.promise
    }
    add("asyncRecover(from:priority:_:)", true) { start, probe in
      start.on(isolatedTo: probe.actor).asyncRecover(from: ParcelError.self, priority: nil) { $0.note($1, 7) }.promise
    }
    add("onProgress(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).onProgress { $0.note($1) }.promise
    }
  }
}
