// The engine: what happens between a call of a client and a job of a context. This page describes it as a whole. Each
// file of this folder has one subject, and is best read in the order of the last section.
//
// # Who owns whom
//
//     Deferred ───────────▶ promise ──list──▶ entry ──list──▶ entry ──▶ …        (──▶ retains)
//     client ─────────────▶    ▲                │
//                              └─ ─ source ─ ─ ─┘                                (─ ▶ does not)
//     job ────────────────▶ entry ──source──▶ settled promise
//                             ├──────────────▶ context, while it waits
//                             └──────────────▶ body, until it runs
//
// Everything that waits for a promise is an *entry* in the list of that promise. An `Entry` is itself a promise, which
// has the fields of a link in addition: its neighbours in the list, its source, its context and its body. A promise
// that `map` returns is an entry. An observer is an entry whose promise no client sees. So are an owner's `follow`, an
// input of a combinator, and a Task that waits.
//
// The list of a promise retains its entries, and so a chain lives until it has run. An entry does not retain the
// promise for which it waits. A pending promise is retained by what will settle it: by its owner, by the list of its
// own source, by its job, or by the list of the promise that it has adopted.
//
// # States of a promise (`StateWord`)
//
//                  settle                        close
//     1 pending ───────────▶ 2 done (fires) ───────────▶ 3 closed                 (`Finish.swift` draws what comes then)
//         │
//         └─ collapse ─▶ 4 forwarded
//
// 1. *pending*: entries are appended to the list.
// 2. *done*: the outcome is readable and never changes. The thread that settled the promise *fires* its entries in
//    order, which means that it schedules their handlers, or passes the outcome on if they have no handler for it. An
//    entry that is attached meanwhile is appended to the *late* list, which the same thread fires before it closes the
//    promise. So a late handler does not overtake earlier ones (rule 2.2).
// 3. *closed*: a thread that attaches an entry fires it itself.
// 4. *forwarded*: the promise had adopted another one, and the adopters that waited for it wait for the other one now
//    (rule 3.3). Every operation on it is an operation on the other promise.
//
// # Stages of an entry (`Entry.Stage`)
//
//              fire              start           returns a promise
//     waiting ───────▶ scheduled ─────▶ running ──────────────────▶ adopting
//        │                 │               │                            │
//        └─────────────────┴───────────────┴──▶ ended ◀─────────────────┘
//
// - *waiting*: in the list of its source, or about to be appended. `source` is not retained.
// - *scheduled*: its context has its job. `source` is settled, and retained by the entry.
// - *running*: its handler runs. `source` as before.
// - *adopting*: its handler has returned a promise, which is `source` from now on, and is not retained.
// - *ended*: its promise is settled, or it is detached. It has neither source nor body, with one exception: an entry
//   that was cancelled may keep its body in one of the first three stages, because `catch` and `always` run even so
//   (`WhenCancelled`).
//
// # What is guarded by what
//
// - **The lock of a promise**, a bit of its state word: all its other bits, its payload until it is done, its list, its
//   side table, and, if it is an entry, its stage, source, context and body.
// - **The lock of the source**: the neighbours of an entry in the list.
// - **A stripe**, one of 64 locks: the marks of the promises that have this stripe (see the tour).
// - **The lock of a `Finish`**: its count, and what depends on it. It is a leaf, and may be acquired under the lock of a
//   promise.
// - **The lock of `RingReport`**: which promises of a ring share a report. Promises are locked under it.
//
// A section under a lock is short, a few instructions for each entry that it takes out, moves or places. Only searches
// for rings and descriptions retain the entries of a list under its lock. A section calls no code of a client, releases
// no object of a client, and schedules nothing.
// One promise is locked at a time. The one exception is an operation that moves entries: it holds the lock of a promise
// and *tries* the lock of an entry in its list. If another thread has that lock, it lets go of both. A stripe may be
// acquired under the lock of a promise, never the other way round. Two stripes are never held together.
//
// # Why an upward pointer is alive
//
// `source` is not counted while an entry waits or adopts. It is read under the lock of the entry, and is alive then:
//
// - (a) It is written, under the lock of the entry, *before* the entry is appended. The thread that does so retains the
//   source until it has appended the entry and has looked again.
// - (b) The thread that settles a promise retains it until it has locked each entry that it took from the list, and has
//   changed the stage there. So does a thread that collapses a promise.
//
// A thread that wants the source beyond the lock of the entry retains it under that lock.
//
// An entry that other threads know before it is appended (an adopter, a follower, a waiter) may be cancelled or
// detached in between. The thread that does so does not find the entry in the list, and leaves it alone. Therefore the
// thread that appends *looks again*: it locks the entry once more and, if the entry has ended meanwhile, takes it out
// of the list. The thread that finds the entry in the list, under the lock of the promise, removes it and subtracts it
// from the consumers. So it is done once.
//
// # Time line of a settlement
//
//  1. write    lock the promise; if it is pending, write the payload and the state `done`
//  2. take     take the list out of the promise
//  3. place    under the stripe, still under the lock: mark the promise as done, and give each link of the list its
//              place in the tour (not if the promise is no entry and no link waits for it)
//  4. unlock   settled: every other thread sees the outcome, and finds all that is below
//  5. progress the promise leaves those that it has followed. A promise that was queued in 6. has left them before. Then
//              observers of progress are given their last value
//  6. fire     for each entry, in order: lock it, change its stage, unlock it; then schedule its job, or pass the
//              outcome on, which is a settlement that is appended to the queue of this call (`FiringQueue`)
//  7. close    lock; if the late list is empty, mark the promise as closed, otherwise take the list and go on with 6
//  8. release  what the promise does not need any more: hooks that do not run, the combination, the reference that kept
//              the promise alive
//
// Steps 1 to 4 are one section, so no thread can come between them. There is no state in which a promise has been
// claimed but not settled.
//
// A combinator's result is settled by the input that decides, on the thread that settles that input. The thread that
// has settled the result ends the combination: it detaches the observers of the other inputs, and leaves or gives up
// these.
//
// # Time line of a cancellation (`Cancellation`)
//
//  1. settle   a stack of promises: each is locked and, if it is pending, settled with the reason as in steps 1 to 4
//              above. The entries in its list that are below it come next. For a settled promise, the pending promises
//              in its part of the tour come next. An observer that is found there is taken back instead. If another
//              thread has settled an entry of a list, that part of the tour is looked at when no entry is left.
//  2. leave    a queue of *departures*: each promise that was settled leaves what it waited for, or gives it up. The
//              departure is one section of the other promise: it removes the entry from the list, subtracts the consumer
//              and, if none is left and it is given up, settles that promise, too (rule 4.4). Continue with 1.
//  3. release  handlers that do not run, and their captures (rule 2.4)
//  4. decide   if work may still run: which of the promises that were settled have not finished, and for what they
//              wait. Handlers of cleanups that may not begin yet are taken out of the lists (rules 2.10 and 2.11)
//  5. fire     steps 5 to 8 for each promise that was settled. A promise that a departure has settled comes before the
//              one that has departed, so handlers are scheduled from the sources on (rule 2.5)
//  6. hooks    run here, or are handed to the pool (rule 4.5)
//
// If a Task is cancelled that gives its promise up, steps 1 and 2 run inside the cancellation handler of that Task, and
// the others in a job of the pool (`SplitCancellation`).
//
// No promise is closed before step 5. So an entry that is attached to one meanwhile is fired after the decision.
//
// No handler is scheduled before everything has been settled. A promise that another thread settles at the same time is
// either still pending when step 1 locks it, or is done. In the second case everything below is in the tour already,
// because placing belongs to the section that settles. So the cancellation finds it without the help of that thread.
//
// # The tour (`Tour`)
//
// It records what is below settled promises (rule 4.2). The promises that come from one root are a *family*. Its
// members form one circular list of *marks*, like parentheses. A member has an *enter*, and an *exit* if links were
// attached to it when or after it was settled. What is below a promise stands between its enter and its exit:
//
//     root: ( … (a (b ) ) (c) … )      b is below a, and a and c are below root
//
// A root has no enter: all that is in the circle is below it. A step of a loop or of `using` has no enter either, because
// it is not below the promise that a closure has returned (`Traits.isStep`). Placing an entry below a settled promise
// inserts its enter before the exit of that promise. When a member is deallocated, its marks are removed, and what was
// below it is thereby below the next member above. All marks of a family are guarded by one stripe, which entries
// inherit from their source.
//
// Invariant: a member that is pending, seen under the stripe, is alive and may be retained. Therefore a member is
// marked as done or forwarded under the stripe, before the thread that does so lets go of its reference. This holds even
// for an observer that a cancellation takes back (`Traits.isTakenBack`). It is a member, although its promise has no
// outcome, and is marked as done when it ends.
//
// A cancellation first collects the pending members between enter and exit, in pieces, so that it does not hold the
// stripe for long. A *cursor* keeps its place between two pieces, and an *end mark*, set when it begins, keeps it from
// following entries that are attached meanwhile. Then it settles what it has collected. If one of these was settled by
// another thread in the meantime, it looks below that one, too.
//
// # Adopting and collapsing
//
// If an entry was cancelled before its handler returns a promise, that promise is given up. The entry is running until
// then.
//
// An entry whose handler has returned a promise `q` adopts it: under its own lock it becomes *adopting* with `q` as the
// source, then it is appended to the list of `q`, then the thread looks again. An adopter is not below `q`, but keeps
// its place below its first source.
//
// Afterwards the thread tries to *collapse* adopters that nothing but the list retains: under the lock of `q` it tries
// the lock of the adopter `a`, and tests whether the reference in the list is the only one. If so, and if only adopters
// wait for `a`, these are moved to the list of `q` in its place, with their consumers, and `a` becomes forwarded. The
// reference from the list keeps `a` alive until `source` of each moved adopter has been changed under the lock of that
// adopter. If the lock of `a` is taken, nothing happens, and the next adoption tries again.
//
// # What must not nest (`UnnestedWork`)
//
// A release may settle promises (an owner that is deallocated, a job that is dropped), and what is settled may release
// more. A hook may cancel promises whose hooks cancel more. A handler on the `InlineContext` may settle a promise that
// has such handlers. The outermost call on a thread does this in a loop, for handlers below the sixteenth level.
// Settling by name, in a `deinit` or in a hook, is never deferred; only the hooks are.
//
// # Files, in the order in which to read them
//
// `StateWord`, `AnyPromise`, `Payload`, `Entry`, `EntryList`, `HandlerBody`, `SideTable`, `ShortLock`, `WorkQueue`,
// `ContextGroups`: the data.
// `Attaching`, `Settling`, `Firing`, `Running`, `RetainedObjects`: the way of a value.
// `Adopting`, `Following`, `Collapsing`, `Rings`: promises that settle as others do.
// `Tour`, `TourWalk`: what is below settled promises.
// `Cancellation`, `Departing`, `LookingAgain`, `ClientPromise`: the way of a cancellation.
// `Finish`, `FinishNotes`, `Finishing`, `UnfinishedWork`: when the work behind a settled promise has ended.
// `OwnerHooks`: the hooks of an owner.
// `UnnestedWork`: work that must not nest.
