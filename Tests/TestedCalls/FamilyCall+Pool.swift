// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func pool(_ add: Adding) {
    add("recover(on:_:)", false) { start, probe in start.recover { probe.note($0, 7) } }
    add("recover(from:on:_:)", false) { start, probe in start.recover(from: ParcelError.self) { probe.note($0, 7) } }
    add("recoverFailure(on:_:)", false) { start, probe in start.recoverFailure { probe.note($0, 7) } }
    add("rescue(on:_:)", false) { start, probe in start.rescue { probe.note($0, .fulfilled(7)) } }
    add("rescue(from:on:_:)", false) { start, probe in
      start.rescue(from: ParcelError.self) { probe.note($0, .fulfilled(7)) }
    }
    add("rescueFailure(on:_:)", false) { start, probe in start.rescueFailure { probe.note($0, .fulfilled(7)) } }
    add("catch(on:_:)", false) { start, probe in start.catch { probe.note($0) } }
    add("catch(only:where:on:_:)", false) { start, probe in start.catch(only: ParcelError.self) { probe.note($0) } }
    add("catchThen(on:_:)", false) { start, probe in start.catchThen { probe.note($0, Promise.fulfilled(7)) } }
    add("catchFailure(on:_:)", false) { start, probe in start.catchFailure { probe.note($0) } }
    add("catchFailure(only:where:on:_:)", false) { start, probe in
      start.catchFailure(only: ParcelError.self) { probe.note($0) }
    }
    add("markCancelled(on:_:)", false) { start, probe in start.markCancelled { probe.note($0, false) } }
    add("mapError(on:_:)", false) { start, probe in start.mapError { probe.note($0, ParcelError(7)) } }
    add("mapError(from:on:_:)", false) { start, probe in
      start.mapError(from: ParcelError.self) { probe.note($0, ParcelError(7)) }
    }
    add("map(on:to:weight:_:)", false) { start, probe in start.map(to: Parcel.self, weight: 3) { probe.note($0, 7) } }
    add("then(on:to:weight:_:)", false) { start, probe in
      start.then(to: Parcel.self, weight: 3) { probe.note($0, .fulfilled(7)) }
    }
    add("map(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.map(to: Parcel.self, weight: 3, fulfilled: { probe.note($0, 7) }, rejected: { probe.note($0, 7) })
    }
    add("then(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.then(
        to: Parcel.self, weight: 3, fulfilled: { probe.note($0, .fulfilled(7)) },
        rejected: { probe.note($0, .fulfilled(7)) })
    }
    add("tap(on:_:)", false) { start, probe in start.tap { probe.note($0) } }
    add("tapThen(on:weight:_:)", false) { start, probe in
      start.tapThen(weight: 3) { probe.note($0, Promise.fulfilled(7)) }
    }
    add("always(on:_:)", false) { start, probe in start.always { probe.note($0) } }
    add("alwaysThen(on:_:)", false) { start, probe in start.alwaysThen { probe.note($0, Promise.fulfilled(7)) } }
    add("validate(on:message:error:_:)", false) { start, probe in start.validate { probe.note($0, false) } }
    add("compactMap(on:to:weight:_:)", false) { start, probe in
      start.compactMap(to: Parcel.self, weight: 3) { probe.note($0, Optional(7)) }
    }
    add("onFulfilled(on:_:)", false) { start, probe in start.onFulfilled { probe.note($0) } }
    add("onRejected(on:_:)", false) { start, probe in start.onRejected { probe.note($0) } }
    add("onRejected(only:where:on:_:)", false) { start, probe in
      start.onRejected(only: ParcelError.self) { probe.note($0) }
    }
    add("onFailed(on:_:)", false) { start, probe in start.onFailed { probe.note($0) } }
    add("onSettled(on:_:)", false) { start, probe in start.onSettled { probe.note($0) } }
    add("run(on:_:)", false) { _, probe in Promise<Parcel>.run { probe.note("", 7) } }
    add("onProgress(on:_:)", false) { start, probe in start.onProgress { probe.note($0) } }
  }
}
