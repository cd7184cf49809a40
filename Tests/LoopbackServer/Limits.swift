/// How much a client may send in one request, in bytes.
struct Limits: Sendable {
  var head: Int
  var body: Int
}
