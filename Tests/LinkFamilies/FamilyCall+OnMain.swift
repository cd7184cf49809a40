// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func onMain(_ add: Adding) {
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
    add("rescue(from:on:fileID:line:_:)", false) { start, probe in
      start.on(.main).rescue(from: ParcelError.self) { error in
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
    add("catchFailure(on:fileID:line:_:)", false) { start, probe in
      start.on(.main).catchFailure { error in
        probe.noteOnMain("\(error)")
      }.promise
    }
    add("mapError(on:fileID:line:_:)", false) { start, probe in
      start.on(.main).mapError { error in
        probe.noteOnMain("\(error)")
        return ParcelError(7)
      }.promise
    }
    add("mapError(from:on:fileID:line:_:)", false) { start, probe in
      start.on(.main).mapError(from: ParcelError.self) { error in
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
    add("alwaysThen(on:fileID:line:_:)", false) { start, probe in
      start.on(.main).alwaysThen { result in
        probe.noteOnMain("\(result)")
        return Promise.fulfilled(7)
      }.promise
    }
    add("validate(on:message:error:fileID:line:_:)", false) { start, probe in
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
    add("onRejected(only:on:_:)", false) { start, probe in
      start.on(.main).onRejected(only: ParcelError.self) { error in
        probe.noteOnMain("\(error)")
      }.promise
    }
    add("onFailed(on:_:)", false) { start, probe in
      start.on(.main).onFailed { error in
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
    add("asyncTap(priority:weight:fileID:line:_:)", true) { start, probe in
      start.on(.main).asyncTap(priority: nil, weight: 3) { value in
        probe.noteOnMain("\(value)")
      }.promise
    }
    add("asyncAlways(priority:fileID:line:_:)", true) { start, probe in
      start.on(.main).asyncAlways(priority: nil) { result in
        probe.noteOnMain("\(result)")
      }.promise
    }
    add("asyncRecover(priority:fileID:line:_:)", true) { start, probe in
      start.on(.main).asyncRecover(priority: nil) { error in
        probe.noteOnMain("\(error)")
        return 7
      }.promise
    }
    add("asyncRecover(from:priority:fileID:line:_:)", true) { start, probe in
      start.on(.main).asyncRecover(from: ParcelError.self, priority: nil) { error in
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
}
