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
