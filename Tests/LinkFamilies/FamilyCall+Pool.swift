// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseContexts

extension FamilyCall {
  static func pool(_ add: Adding) {
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
    add("rescue(from:on:fileID:line:_:)", false) { start, probe in
      start.rescue(from: ParcelError.self) { error in
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
    add("catchFailure(on:fileID:line:_:)", false) { start, probe in
      start.catchFailure { error in
        probe.note("\(error)")
      }
    }
    add("mapError(on:fileID:line:_:)", false) { start, probe in
      start.mapError { error in
        probe.note("\(error)")
        return ParcelError(7)
      }
    }
    add("mapError(from:on:fileID:line:_:)", false) { start, probe in
      start.mapError(from: ParcelError.self) { error in
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
    add("alwaysThen(on:fileID:line:_:)", false) { start, probe in
      start.alwaysThen { result in
        probe.note("\(result)")
        return Promise.fulfilled(7)
      }
    }
    add("validate(on:message:error:fileID:line:_:)", false) { start, probe in
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
    add("onRejected(only:on:_:)", false) { start, probe in
      start.onRejected(only: ParcelError.self) { error in
        probe.note("\(error)")
      }
    }
    add("onFailed(on:_:)", false) { start, probe in
      start.onFailed { error in
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
}
