/* One cell: settle, attach, detach and prune, from three processes.  Sequentially consistent.

   Every labelled step is one atomic operation in Swift; what stands in a d_step without such a comment touches
   only what its process owns.  `where` and the asserts on it check that claim: no list is walked by two.

   Broken variants: BROKEN_SINGLE_SEALED, BROKEN_PUBLISH_IGNORES_PRUNING, BROKEN_RETURN_BY_STORE, BROKEN_CLOSE_BY_STORE,
   BROKEN_PUBLISH_BEFORE_PAYLOAD, BROKEN_DETACH_IGNORES_STARTED. */

/* StateWord: the bits, in small. */
#define CLAIMED 1
#define DONE    2
#define CLOSED  4
#define PRUNING 8
#define UNIT    16                    /* consumers: bits 4 to 6 */
#define COUNT(w)  (((w) >> 4) & 7)
#define HEAD(w)   (((w) >> 8) & 7)    /* newest reaction: bits 8 to 10 */
#define NOHEAD(w) ((w) & 255)
#define WITH(w,l) (NOHEAD(w) | ((l) << 8))

/* ReactionWord */
#define STARTED  1
#define DETACHED 2

#define NOWHERE 0
#define LISTED  1     /* in the list of the cell */
#define TAKEN   2     /* in a list that a process has taken */
#define GONE    3     /* fired or dropped; the list's reference is released */

#define LINKS 4

short word = 0;
byte payload = 0;               /* 0 nothing, 1 half written, 2 written */
byte next[5];
byte reaction[5];                   /* ReactionWord */
byte where[5];
byte scheduled[5], ran[5], detached[5];
byte published = 0;

/* CAS on the cell: `old` becomes what was found if it fails. */
#define CAS(new) atomic { if :: word == old -> word = new; ok = true :: else -> old = word; ok = false fi }

#define LOCALS short old, new; bool ok; byte kind, l, list, more, tail, cur, nxt, was

/* ReactionList.init(newest:), newestFirst(): turns a list round that the caller owns. */
inline turn(from, to) {
  cur = from; to = 0;
  do
  :: cur != 0 -> assert(where[cur] == TAKEN); nxt = next[cur]; next[cur] = to; to = cur; cur = nxt
  :: else -> break
  od; cur = 0; nxt = 0
}

inline ghostTake(from) {
  cur = from;
  do
  :: cur != 0 -> assert(where[cur] == LISTED); where[cur] = TAKEN; cur = next[cur]
  :: else -> break
  od; cur = 0
}

inline ghostPutBack(from) {
  cur = from;
  do
  :: cur != 0 -> assert(where[cur] == TAKEN); where[cur] = LISTED; cur = next[cur]
  :: else -> break
  od; cur = 0
}

/* AnyPromise.fire(_:isShared:during:), then Reaction.start() from Job.run or Reaction.pass. */
inline fire(x) {
  d_step {
    assert(word & DONE);
    /* Rule 2.2: per attacher, in the order of attachment: 1 before 2, 3 before 4, unless detached. */
    assert(x != 2 || scheduled[1] || detached[1]);
    assert(x != 4 || scheduled[3] || detached[3]);
    assert(where[x] == TAKEN || where[x] == NOWHERE);
    where[x] = GONE;
    scheduled[x]++; assert(scheduled[x] == 1)
  }
  atomic { was = reaction[x]; reaction[x] = was | STARTED }              /* S: Reaction.start: word.bitwiseOr */
  if
  :: !(was & (STARTED | DETACHED)) -> d_step { assert(payload == 2); assert(!detached[x]); ran[x]++; assert(ran[x] == 1) }
  :: else
  fi
}

/* AnyPromise.drain(_:isShared:during:); `list` is oldest first. */
inline drain() {
  do
  :: list != 0 -> d_step { l = list; list = next[l] } fire(l)
  :: list == 0 ->
     old = word;                                                  /* S: AnyPromise.relaxedState: word.load */
     ok = false;
     do
     :: ok -> break
     :: else ->
        /* StateWord.close() */
#ifdef BROKEN_CLOSE_BY_STORE
        atomic { word = (old | CLOSED); kind = 0; ok = true }
#else
        d_step { if :: HEAD(old) == 0 -> kind = 0; new = old | CLOSED :: else -> kind = 1; new = NOHEAD(old) fi }
        atomic { CAS(new); if :: ok && kind == 1 -> ghostTake(HEAD(old)) :: else fi }   /* S: AnyPromise+Settling.drain: word.compareExchange */
#endif
     od;
     if
     :: kind == 0 -> break
     :: else -> d_step { more = HEAD(old); turn(more, list); more = 0 }
     fi
  od
}

/* AnyPromise.publish(isShared:during:) */
inline publish() {
  old = word;                                                     /* S: AnyPromise.relaxedState: word.load */
  ok = false;
  do
  :: ok -> break
  :: else ->
     /* StateWord.publish() */
     d_step {
       assert((old & CLAIMED) && !(old & DONE));
       if
#ifndef BROKEN_PUBLISH_IGNORES_PRUNING
       :: old & PRUNING -> kind = 2; new = old | DONE
       :: !(old & PRUNING) && HEAD(old) == 0 -> kind = 0; new = old | DONE | CLOSED
       :: !(old & PRUNING) && HEAD(old) != 0 ->
#else
       :: HEAD(old) == 0 -> kind = 0; new = old | DONE | CLOSED
       :: HEAD(old) != 0 ->
#endif
          kind = 1; new = NOHEAD(old) | DONE
#ifdef BROKEN_SINGLE_SEALED
          ; new = new | CLOSED
#endif
       fi
     }
     atomic { CAS(new); if :: ok && kind == 1 -> ghostTake(HEAD(old)) :: else fi }      /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
  od;
  published++; assert(published == 1);
  if
  :: kind == 1 ->
     d_step { more = HEAD(old); turn(more, list); more = 0 }
#ifdef BROKEN_SINGLE_SEALED
     do :: list != 0 -> d_step { l = list; list = next[l] } fire(l) :: else -> break od
#else
     drain()
#endif
  :: else
  fi
}

/* AnyPromise.claim(cancelled:), then Promise.claim(fulfilling:), then publish. */
inline settle() {
  old = word;                                                     /* S: AnyPromise.relaxedState: word.load */
  ok = false;
  do
  :: ok || (old & (CLAIMED | CLOSED)) -> break
  :: else ->
     new = (old & ~(7 << 4)) | CLAIMED;
     CAS(new)                                                     /* S: AnyPromise+Settling.claim: word.compareExchange */
  od;
  if
  :: ok ->
#ifdef BROKEN_PUBLISH_BEFORE_PAYLOAD
     publish(); payload = 1; payload = 2
#else
     payload = 1; payload = 2;                                    /* plain writes */
     publish()
#endif
  :: else
  fi
}

/* AnyPromise.attach and push(_:as:) */
inline attach(x) {
  old = word;                                                     /* S: AnyPromise.acquiredState: word.load */
  do
  :: old & CLOSED -> fire(x); break
  :: else ->
     d_step {
       next[x] = HEAD(old);
       new = WITH(old, x);
       if :: old & CLAIMED :: else -> new = new + UNIT fi
     }
     atomic { CAS(new); if :: ok -> where[x] = LISTED :: else fi }  /* S: AnyPromise+Attaching.push: word.compareExchange */
     if :: ok -> break :: else fi
  od
}

/* Reaction.detach, then AnyPromise.removeConsumer(leavingBehind:); every dead reaction is worth pruning here. */
inline detach(x) {
  atomic {                                                        /* S: Reaction.detach: word.bitwiseOr */
    was = reaction[x]; reaction[x] = was | DETACHED;
    if
#ifdef BROKEN_DETACH_IGNORES_STARTED
    :: true -> detached[x] = 1; assert(!ran[x])
#else
    :: !(was & (STARTED | DETACHED)) -> detached[x] = 1; assert(!ran[x])
    :: else
#endif
    fi
  }
  if
  :: detached[x] ->
     old = word;                                                  /* S: AnyPromise.relaxedState: word.load */
     ok = false;
     do
     :: ok || (old & CLAIMED) -> break
     :: else -> assert(COUNT(old) > 0); CAS(old - UNIT)           /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
     od;
     prune()
  :: else
  fi
}

/* ReactionList.living(): `more`, oldest first, without the dead, appended to `list` (whose end is `tail`). */
inline living() {
  do
  :: more != 0 ->
     atomic {                                                     /* S: AnyPromise+Pruning.isDead: state.isDetached */
       l = more; more = next[l]; next[l] = 0; assert(where[l] == TAKEN);
       if
       :: reaction[l] & DETACHED -> where[l] = GONE
       :: else -> if :: tail == 0 -> list = l :: else -> next[tail] = l fi; tail = l
       fi
     }
  :: else -> break
  od
}

/* AnyPromise.prune() and returnList(_:) */
inline prune() {
  old = word;                                                     /* S: AnyPromise.relaxedState: word.load */
  ok = false;
  do
  :: ok || (old & (CLAIMED | PRUNING)) || HEAD(old) == 0 -> break
  :: else ->
     new = NOHEAD(old) | PRUNING;
     atomic { CAS(new); if :: ok -> ghostTake(HEAD(old)) :: else fi }   /* S: AnyPromise+Pruning.withBorrowedReactions: word.compareExchange */
  od;
  if
  :: ok ->
     d_step { cur = HEAD(old); tail = cur; l = cur; turn(l, more); list = 0; tail = 0 }
     living();
     old = word;                                                  /* S: AnyPromise.relaxedState: word.load */
     d_step { l = list; turn(l, list) }                           /* newest first from here */
     do
     :: true ->
        /* StateWord.endPruning(returning:) */
        d_step {
          if
          :: HEAD(old) != 0 -> kind = 1; new = NOHEAD(old)
          :: HEAD(old) == 0 && (old & DONE) -> kind = 2; new = old & ~PRUNING
          :: else -> kind = 0; new = WITH(old & ~PRUNING, list)
          fi
        }
#ifdef BROKEN_RETURN_BY_STORE
        atomic { if :: kind == 0 -> word = new; ok = true; ghostPutBack(list) :: else -> CAS(new); if :: ok && kind == 1 -> ghostTake(HEAD(old)) :: else fi fi }
#else
        atomic {                                                  /* S: AnyPromise+Pruning.returnReactions: word.compareExchange */
          CAS(new);
          if
          :: ok && kind == 0 -> ghostPutBack(list)
          :: ok && kind == 1 -> ghostTake(HEAD(old))
          :: else
          fi
        }
#endif
        if
        :: !ok -> skip
        :: ok && kind == 0 -> list = 0; tail = 0; break
        :: ok && kind == 1 ->
           /* ReactionList.join(_:before:) */
           d_step {
             l = HEAD(old);
             do
             :: next[l] != 0 -> l = next[l]
             :: else -> break
             od;
             next[l] = list; list = HEAD(old)
           }
           old = word
        :: ok && kind == 2 -> d_step { l = list; turn(l, list) } tail = 0; drain(); break
        fi
     od
  :: else
  fi
}

active proctype End() {
  byte i;
  (_nr_pr == 1);
  d_step {
    assert((word & (CLAIMED | DONE | CLOSED)) == (CLAIMED | DONE | CLOSED));
    assert(HEAD(word) == 0 && !(word & PRUNING));
    assert(published == 1 && payload == 2);
    i = 1;
    do
    :: i <= LINKS -> assert(ran[i] + detached[i] == 1); assert(where[i] == GONE); i++
    :: else -> break
    od
  }
}

active proctype Settler() { LOCALS; settle() }

active proctype Attacher() { LOCALS; attach(1); attach(2); settle() }

active proctype Detacher() { LOCALS; attach(3); attach(4); detach(3) }
