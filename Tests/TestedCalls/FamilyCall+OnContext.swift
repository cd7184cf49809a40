// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func onContext(_ add: Adding) {
    add("recover(on:_:)", false) { start, probe in start.on(probe.context).recover { probe.note($0, 7) }.promise }
    add("recover(from:on:_:)", false) { start, probe in
      start.on(probe.context).recover(from: ParcelError.self) { probe.note($0, 7) }.promise
    }
    add("recoverFailure(on:_:)", false) { start, probe in
      start.on(probe.context).recoverFailure { probe.note($0, 7) }.promise
    }
    add("rescue(on:_:)", false) { start, probe in
      start.on(probe.context).rescue { probe.note($0, .fulfilled(7)) }.promise
    }
    add("rescue(from:on:_:)", false) { start, probe in
      start.on(probe.context).rescue(from: ParcelError.self) { probe.note($0, .fulfilled(7)) }.promise
    }
    add("rescueFailure(on:_:)", false) { start, probe in
      start.on(probe.context).rescueFailure { probe.note($0, .fulfilled(7)) }.promise
    }
    add("catch(on:_:)", false) { start, probe in start.on(probe.context).catch { probe.note($0) }.promise }
    add("catch(only:where:on:_:)", false) { start, probe in
      start.on(probe.context).catch(only: ParcelError.self) { probe.note($0) }.promise
    }
    add("catchThen(on:_:)", false) { start, probe in
      start.on(probe.context).catchThen { probe.note($0, Promise.fulfilled(7)) }.promise
    }
    add("catchFailure(on:_:)", false) { start, probe in start.on(probe.context).catchFailure { probe.note($0) }.promise
    }
    add("catchFailure(only:where:on:_:)", false) { start, probe in
      start.on(probe.context).catchFailure(only: ParcelError.self) { probe.note($0) }.promise
    }
    add("markCancelled(on:_:)", false) { start, probe in
      start.on(probe.context).markCancelled { probe.note($0, false) }.promise
    }
    add("mapError(on:_:)", false) { start, probe in
      start.on(probe.context).mapError { probe.note($0, ParcelError(7)) }.promise
    }
    add("mapError(from:on:_:)", false) { start, probe in
      start.on(probe.context).mapError(from: ParcelError.self) { probe.note($0, ParcelError(7)) }.promise
    }
    add("map(on:to:weight:_:)", false) { start, probe in
      start.on(probe.context).map(to: Parcel.self, weight: 3) { probe.note($0, 7) }.promise
    }
    add("then(on:to:weight:_:)", false) { start, probe in
      start.on(probe.context).then(to: Parcel.self, weight: 3) { probe.note($0, .fulfilled(7)) }.promise
    }
    add("map(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.on(probe.context).map(
        to: Parcel.self, weight: 3, fulfilled: { probe.note($0, 7) }, rejected: { probe.note($0, 7) }
      ).promise
    }
    add("then(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.on(probe.context).then(
        to: Parcel.self, weight: 3, fulfilled: { probe.note($0, .fulfilled(7)) },
        rejected: { probe.note($0, .fulfilled(7)) }
      ).promise
    }
    add("tap(on:_:)", false) { start, probe in start.on(probe.context).tap { probe.note($0) }.promise }
    add("tapThen(on:weight:_:)", false) { start, probe in
      start.on(probe.context).tapThen(weight: 3) { probe.note($0, Promise.fulfilled(7)) }.promise
    }
    add("always(on:_:)", false) { start, probe in start.on(probe.context).always { probe.note($0) }.promise }
    add("alwaysThen(on:_:)", false) { start, probe in
      start.on(probe.context).alwaysThen { probe.note($0, Promise.fulfilled(7)) }.promise
    }
    add("validate(on:message:error:_:)", false) { start, probe in
      start.on(probe.context).validate { probe.note($0, false) }.promise
    }
    add("compactMap(on:to:weight:_:)", false) { start, probe in
      start.on(probe.context).compactMap(to: Parcel.self, weight: 3) { probe.note($0, Optional(7)) }.promise
    }
    add("onFulfilled(on:_:)", false) { start, probe in start.on(probe.context).onFulfilled { probe.note($0) }.promise }
    add("onRejected(on:_:)", false) { start, probe in start.on(probe.context).onRejected { probe.note($0) }.promise }
    add("onRejected(only:where:on:_:)", false) { start, probe in
      start.on(probe.context).onRejected(only: ParcelError.self) { probe.note($0) }.promise
    }
    add("onFailed(on:_:)", false) { start, probe in start.on(probe.context).onFailed { probe.note($0) }.promise }
    add("onSettled(on:_:)", false) { start, probe in start.on(probe.context).onSettled { probe.note($0) }.promise }
    add("asyncMap(priority:to:weight:_:)", true) { start, probe in
      start.on(probe.context).asyncMap(priority: nil, to: Parcel.self, weight: 3) { probe.note($0, 7) }.promise
    }
    add("asyncTap(priority:weight:_:)", true) { start, probe in
      start.on(probe.context).asyncTap(priority: nil, weight: 3) { probe.note($0) }.promise
    }
    add("asyncAlways(priority:_:)", true) { start, probe in
      start.on(probe.context).asyncAlways(priority: nil) { probe.note($0) }.promise
    }
    add("asyncRecover(priority:_:)", true) { start, probe in
      start.on(probe.context).asyncRecover(priority: nil) { probe.note($0, 7) }.promise
    }
    add("asyncRecover(from:priority:_:)", true) { start, probe in
      start.on(probe.context).asyncRecover(from: ParcelError.self, priority: nil) { probe.note($0, 7) }.promise
    }
    add("onProgress(on:_:)", false) { start, probe in start.on(probe.context).onProgress { probe.note($0) }.promise }
  }
}
