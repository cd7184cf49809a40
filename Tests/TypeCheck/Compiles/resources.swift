// Resources and cleanups, with functions, closures and the state of actors.
import PromiseCombinators

nonisolated struct Connection: Sendable {
  func query(_ text: String) -> Promise<[String]> { .fulfilled([text]) }
  func rows(_ text: String) async throws -> [String] { [text] }
}

nonisolated struct Pool: Sendable {
  func connect() -> Promise<Connection> { .fulfilled(Connection()) }
  func takeBack(_ connection: Connection) -> Promise<Void> { .fulfilled(()) }
  func open() async throws -> Connection { Connection() }
  func close(_ connection: Connection) async {}
  func end(_ connection: Connection, after outcome: Result<Int, any Error>) -> Promise<Void> { .fulfilled(()) }

  var connection: Resource<Connection> { Resource(connect, release: takeBack) }
  var opened: Resource<Connection> { Resource(async: open, release: close) }
}

@MainActor final class Screen {
  var rows: [String] = []
  var isBusy = false

  func load(_ pool: Pool) -> Promise<[String]> {
    Promise.using(
      { [self] in
        isBusy = true
        return pool.connect()
      },
      release: { [self] connection in
        isBusy = false
        return pool.takeBack(connection)
      }, on: .main,
      { connection in connection.query("towns") }
    )
    .tap(on: .main) { self.rows = $0 }
  }

  func busy(_ pool: Pool) -> Resource<Connection> {
    Resource(
      { [self] in
        isBusy = true
        return pool.connect()
      },
      release: { [self] connection, outcome in
        isBusy = false
        if case .success = outcome { rows = [] }
        return pool.takeBack(connection)
      }, on: .main)
  }

  func loadBoth(_ pool: Pool) -> Promise<[String]> {
    Promise.using(busy(pool), pool.opened, on: .main) { [self] one, other in
      rows = []
      return one.query("towns").then { _ in other.query("rivers") }
    }
  }
}

actor Store {
  var count = 0

  func load(_ pool: Pool) -> Promise<[String]> {
    Promise.using(
      { store in
        store.count += 1
        return pool.connect()
      },
      release: { store, connection in
        store.count -= 1
        return pool.takeBack(connection)
      }, isolatedTo: self,
      { _, connection in connection.query("towns") })
  }

  func loadBoth(_ pool: Pool) -> Promise<[String]> {
    let counted = Resource(
      { store in
        store.count += 1
        return pool.connect()
      },
      release: { store, connection, outcome in
        if case .failure = outcome { store.count = 0 }
        return pool.takeBack(connection)
      }, isolatedTo: self)
    return Promise.using(counted, pool.opened, isolatedTo: self) { store, one, other in
      store.count += 1
      return one.query("towns").then { _ in other.query("rivers") }
    }
  }
}

func resources(_ pool: Pool, _ screen: Screen, _ store: Store, _ text: Promise<String>) {
  _ = Promise.using(pool.connect, release: pool.takeBack) { connection in
    connection.query("towns")
  }
  _ = Promise.using({ pool.connect() }, release: { pool.takeBack($0) }, { $0.query("towns").map { $0.count } })
  _ = Promise.asyncUsing(pool.open, release: pool.close) { connection in
    let rows = try await connection.rows("towns")
    return rows.count
  }
  _ = Promise.using(pool.connect, release: pool.end) { $0.query("towns").map { $0.count } }
  _ = Promise.using(
    pool.connect,
    release: { connection, outcome in
      switch outcome {
      case .success(let rows): return pool.takeBack(connection).map { rows.count }
      case .failure: return pool.takeBack(connection)
      }
    }, { $0.query("towns") })
  _ = Promise.using(pool.connection) { $0.query("towns") }
  _ = Promise.using(pool.connection, pool.opened) { one, other in
    one.query("towns").then { _ in other.query("rivers") }
  }
  _ = Promise.asyncUsing(
    pool.open,
    release: { connection, outcome in
      if case .success = outcome { await pool.close(connection) }
    }, { try await $0.rows("towns") })
  _ = Promise.asyncUsing(pool.connection, pool.opened) { one, other in
    let rows = try await one.rows("towns")
    return try await rows + other.rows("rivers")
  }
  text.alwaysThen { _ in pool.takeBack(Connection()) }
    .alwaysThen(on: .main) { [screen] _ in
      screen.isBusy = false
      return .fulfilled(1)
    }
    .alwaysThen(isolatedTo: store) { store, _ in
      store.count = 0
      return Promise.fulfilled(1)
    }
    .asyncAlways { result in
      guard case .success = result else { return }
      await pool.close(Connection())
    }
    .asyncAlways(on: .main) { [screen] _ in screen.isBusy = false }
  let view: PromiseOnMain<String> = text.on(.main).alwaysThen { [screen] _ in
    screen.isBusy = false
    return Promise.fulfilled(())
  }
  _ = view
}
