// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func onActor(_ add: Adding) {
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
    add("rescue(from:on:fileID:line:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).rescue(from: ParcelError.self) { actor, error in
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
    add("catchFailure(on:fileID:line:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).catchFailure { actor, error in
        actor.note("\(error)")
      }.promise
    }
    add("mapError(on:fileID:line:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).mapError { actor, error in
        actor.note("\(error)")
        return ParcelError(7)
      }.promise
    }
    add("mapError(from:on:fileID:line:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).mapError(from: ParcelError.self) { actor, error in
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
    add("alwaysThen(on:fileID:line:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).alwaysThen { actor, result in
        actor.note("\(result)")
        return Promise.fulfilled(7)
      }.promise
    }
    add("validate(on:message:error:fileID:line:_:)", false) { start, probe in
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
    add("onRejected(only:on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).onRejected(only: ParcelError.self) { actor, error in
        actor.note("\(error)")
      }.promise
    }
    add("onFailed(on:_:)", false) { start, probe in
      start.on(isolatedTo: probe.actor).onFailed { actor, error in
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
    add("asyncTap(priority:weight:fileID:line:_:)", true) { start, probe in
      start.on(isolatedTo: probe.actor).asyncTap(priority: nil, weight: 3) { actor, value in
        actor.note("\(value)")
      }.promise
    }
    add("asyncAlways(priority:fileID:line:_:)", true) { start, probe in
      start.on(isolatedTo: probe.actor).asyncAlways(priority: nil) { actor, result in
        actor.note("\(result)")
      }.promise
    }
    add("asyncRecover(priority:fileID:line:_:)", true) { start, probe in
      start.on(isolatedTo: probe.actor).asyncRecover(priority: nil) { actor, error in
        actor.note("\(error)")
        return 7
      }.promise
    }
    add("asyncRecover(from:priority:fileID:line:_:)", true) { start, probe in
      start.on(isolatedTo: probe.actor).asyncRecover(from: ParcelError.self, priority: nil) { actor, error in
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
}
