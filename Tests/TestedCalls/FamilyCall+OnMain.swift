// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func onMain(_ add: Adding) {
    add("recover(on:_:)", false) { start, probe in start.on(.main).recover { probe.noteOnMain($0, 7) }.promise }
    add("recover(from:on:_:)", false) { start, probe in
      start.on(.main).recover(from: ParcelError.self) { probe.noteOnMain($0, 7) }.promise
    }
    add("recoverFailure(on:_:)", false) { start, probe in
      start.on(.main).recoverFailure { probe.noteOnMain($0, 7) }.promise
    }
    add("rescue(on:_:)", false) { start, probe in start.on(.main).rescue { probe.noteOnMain($0, .fulfilled(7)) }.promise
    }
    add("rescue(from:on:_:)", false) { start, probe in
      start.on(.main).rescue(from: ParcelError.self) { probe.noteOnMain($0, .fulfilled(7)) }.promise
    }
    add("rescueFailure(on:_:)", false) { start, probe in
      start.on(.main).rescueFailure { probe.noteOnMain($0, .fulfilled(7)) }.promise
    }
    add("catch(on:_:)", false) { start, probe in start.on(.main).catch { probe.noteOnMain($0) }.promise }
    add("catch(only:where:on:_:)", false) { start, probe in
      start.on(.main).catch(only: ParcelError.self) { probe.noteOnMain($0) }.promise
    }
    add("catchThen(on:_:)", false) { start, probe in
      start.on(.main).catchThen { probe.noteOnMain($0, Promise.fulfilled(7)) }.promise
    }
    add("catchFailure(on:_:)", false) { start, probe in start.on(.main).catchFailure { probe.noteOnMain($0) }.promise }
    add("catchFailure(only:where:on:_:)", false) { start, probe in
      start.on(.main).catchFailure(only: ParcelError.self) { probe.noteOnMain($0) }.promise
    }
    add("markCancelled(on:_:)", false) { start, probe in
      start.on(.main).markCancelled { probe.noteOnMain($0, false) }.promise
    }
    add("mapError(on:_:)", false) { start, probe in
      start.on(.main).mapError { probe.noteOnMain($0, ParcelError(7)) }.promise
    }
    add("mapError(from:on:_:)", false) { start, probe in
      start.on(.main).mapError(from: ParcelError.self) { probe.noteOnMain($0, ParcelError(7)) }.promise
    }
    add("map(on:to:weight:_:)", false) { start, probe in
      start.on(.main).map(to: Parcel.self, weight: 3) { probe.noteOnMain($0, 7) }.promise
    }
    add("then(on:to:weight:_:)", false) { start, probe in
      start.on(.main).then(to: Parcel.self, weight: 3) { probe.noteOnMain($0, .fulfilled(7)) }.promise
    }
    add("map(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.on(.main).map(
        to: Parcel.self, weight: 3, fulfilled: { probe.noteOnMain($0, 7) }, rejected: { probe.noteOnMain($0, 7) }
      ).promise
    }
    add("then(on:to:weight:fulfilled:rejected:)", false) { start, probe in
      start.on(.main).then(
        to: Parcel.self, weight: 3, fulfilled: { probe.noteOnMain($0, .fulfilled(7)) },
        rejected: { probe.noteOnMain($0, .fulfilled(7)) }
      ).promise
    }
    add("tap(on:_:)", false) { start, probe in start.on(.main).tap { probe.noteOnMain($0) }.promise }
    add("tapThen(on:weight:_:)", false) { start, probe in
      start.on(.main).tapThen(weight: 3) { probe.noteOnMain($0, Promise.fulfilled(7)) }.promise
    }
    add("always(on:_:)", false) { start, probe in start.on(.main).always { probe.noteOnMain($0) }.promise }
    add("alwaysThen(on:_:)", false) { start, probe in
      start.on(.main).alwaysThen { probe.noteOnMain($0, Promise.fulfilled(7)) }.promise
    }
    add("validate(on:message:error:_:)", false) { start, probe in
      start.on(.main).validate { probe.noteOnMain($0, false) }.promise
    }
    add("compactMap(on:to:weight:_:)", false) { start, probe in
      start.on(.main).compactMap(to: Parcel.self, weight: 3) { probe.noteOnMain($0, Optional(7)) }.promise
    }
    add("onFulfilled(on:_:)", false) { start, probe in start.on(.main).onFulfilled { probe.noteOnMain($0) }.promise }
    add("onRejected(on:_:)", false) { start, probe in start.on(.main).onRejected { probe.noteOnMain($0) }.promise }
    add("onRejected(only:where:on:_:)", false) { start, probe in
      start.on(.main).onRejected(only: ParcelError.self) { probe.noteOnMain($0) }.promise
    }
    add("onFailed(on:_:)", false) { start, probe in start.on(.main).onFailed { probe.noteOnMain($0) }.promise }
    add("onSettled(on:_:)", false) { start, probe in start.on(.main).onSettled { probe.noteOnMain($0) }.promise }
    add("asyncMap(priority:to:weight:_:)", true) { start, probe in
      start.on(.main).asyncMap(priority: nil, to: Parcel.self, weight: 3) { probe.noteOnMain($0, 7) }.promise
    }
    add("asyncTap(priority:weight:_:)", true) { start, probe in
      start.on(.main).asyncTap(priority: nil, weight: 3) { probe.noteOnMain($0) }.promise
    }
    add("asyncAlways(priority:_:)", true) { start, probe in
      start.on(.main).asyncAlways(priority: nil) { probe.noteOnMain($0) }.promise
    }
    add("asyncRecover(priority:_:)", true) { start, probe in
      start.on(.main).asyncRecover(priority: nil) { probe.noteOnMain($0, 7) }.promise
    }
    add("asyncRecover(from:priority:_:)", true) { start, probe in
      start.on(.main).asyncRecover(from: ParcelError.self, priority: nil) { probe.noteOnMain($0, 7) }.promise
    }
    add("onProgress(on:_:)", false) { start, probe in start.on(.main).onProgress { probe.noteOnMain($0) }.promise }
  }
}
