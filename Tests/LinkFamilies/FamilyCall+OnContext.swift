// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func onContext(_ add: Adding) {
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
    add("rescue(from:on:fileID:line:_:)", false) { start, probe in
      start.on(probe.context).rescue(from: ParcelError.self) { error in
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
    add("catchFailure(on:fileID:line:_:)", false) { start, probe in
      start.on(probe.context).catchFailure { error in
        probe.note("\(error)")
      }.promise
    }
    add("mapError(on:fileID:line:_:)", false) { start, probe in
      start.on(probe.context).mapError { error in
        probe.note("\(error)")
        return ParcelError(7)
      }.promise
    }
    add("mapError(from:on:fileID:line:_:)", false) { start, probe in
      start.on(probe.context).mapError(from: ParcelError.self) { error in
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
    add("alwaysThen(on:fileID:line:_:)", false) { start, probe in
      start.on(probe.context).alwaysThen { result in
        probe.note("\(result)")
        return Promise.fulfilled(7)
      }.promise
    }
    add("validate(on:message:error:fileID:line:_:)", false) { start, probe in
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
    add("onRejected(only:on:_:)", false) { start, probe in
      start.on(probe.context).onRejected(only: ParcelError.self) { error in
        probe.note("\(error)")
      }.promise
    }
    add("onFailed(on:_:)", false) { start, probe in
      start.on(probe.context).onFailed { error in
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
    add("asyncTap(priority:weight:fileID:line:_:)", true) { start, probe in
      start.on(probe.context).asyncTap(priority: nil, weight: 3) { value in
        probe.note("\(value)")
      }.promise
    }
    add("asyncAlways(priority:fileID:line:_:)", true) { start, probe in
      start.on(probe.context).asyncAlways(priority: nil) { result in
        probe.note("\(result)")
      }.promise
    }
    add("asyncRecover(priority:fileID:line:_:)", true) { start, probe in
      start.on(probe.context).asyncRecover(priority: nil) { error in
        probe.note("\(error)")
        return 7
      }.promise
    }
    add("asyncRecover(from:priority:fileID:line:_:)", true) { start, probe in
      start.on(probe.context).asyncRecover(from: ParcelError.self, priority: nil) { error in
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
}
