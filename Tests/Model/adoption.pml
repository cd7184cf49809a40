/* Adoption: a target T, whose producing link L has a handler that returned the promise I, while T is cancelled, I settles,
   and another consumer leaves I.  Four processes, each at most once.  Sequentially consistent.

   Objects are reference counted only where `pinned.pml` and `dissolve.pml` do not show it already.

   Broken variants: BROKEN_CLAIM_CHECKED_BEFORE_EDGE, BROKEN_LEAVE_BY_PRODUCER, BROKEN_COUNT_WITH_PUSH,
   BROKEN_EDGE_AFTER_PUSH, BROKEN_FORWARD_WITHOUT_RETIRING. */

#define CLAIMED 1
#define DONE    2
#define CLOSED  4
#define FORWARD 8                     /* L is in the list (only T's L ever is) */
#define UNIT    16
#define COUNT(w) (((w) >> 4) & 7)

/* PinnedReference, as one atomic word (see pinned.pml for the pins). */
#define EMPTY   0
#define LIVE    1
#define RETIRED 2

short wT = 0;                         /* T: nobody waits for it here */
short wI = UNIT;                      /* I: one other consumer at first */
byte payloadT = 0, payloadI = 0;      /* 2: written */
byte producerT = LIVE;                /* T.producer -> L, published by derive */
byte inner = EMPTY;                   /* L.inner -> I */

/* What really is. */
byte removed = 0;                     /* how often the edge L.inner was taken away */
bool linkFired = false, linkListed = false, linkDropped = false;
bool otherLeft = false, adopted = false;
byte publishedT = 0, publishedI = 0;
bool lastSaid = false;

#define CAS(w, new) atomic { if :: w == old -> w = new; ok = true :: else -> old = w; ok = false fi }
#define LOCALS short old; short new; bool ok; byte kind, edge; bool last

/* AnyPromise.claim(cancelled:) */
inline claim(w) {
  old = w; ok = false;                                            /* S: AnyPromise.cellHint: word.load */
  do
  :: ok || (old & (CLAIMED | CLOSED)) -> break
  :: else -> new = (old & ~(7 << 4)) | CLAIMED; CAS(w, new)       /* S: AnyPromise+Settling.claim: word.compareExchange */
  od
}

/* AnyPromise.publish, drain and close of T: nothing waits there. */
inline publishT() {
  atomic { assert(payloadT == 2); wT = wT | DONE | CLOSED; publishedT++; assert(publishedT == 1) }  /* S: AnyPromise+Settling.publishTakingLinks: word.compareExchange */
}

/* AnyPromise.lostConsumer: `last`, it was the last one. */
inline lostConsumer() {
  old = wI; ok = false; last = false;                             /* S: AnyPromise.cellHint: word.load */
  do
  :: ok || (old & (CLAIMED | CLOSED)) || COUNT(old) == 0 -> break
  :: else ->
     new = old - UNIT;
     atomic {                                                     /* S: AnyPromise+Detaching.takeConsumer: word.compareExchange */
       CAS(wI, new);
       if
       :: ok && COUNT(new) == 0 ->
          last = true; lastSaid = true;
          /* Rule 4.4: a shared promise survives one consumer's cancellation. */
          assert(otherLeft && (!adopted || removed == 1))
       :: else
       fi
     }
  od
}

/* The last consumer is gone: cancel I (rule 4.4). */
inline cancelIfLast() {
  if
  :: last -> claim(wI); if :: ok -> payloadI = 1; payloadI = 2; publishI() :: else fi
  :: else
  fi
}

/* Link.pass(outcomeOf:) with winPassing, for the forward L; AnyPromise.Settlement.complete, Link.end */
inline fireL() {
  assert(!linkFired); linkFired = true;
  atomic {                                                        /* S: AnyPromise+Settling.winPassing: inner.retire */
    if
#ifdef BROKEN_FORWARD_WITHOUT_RETIRING
    :: true -> ok = true; removed++
#else
    :: inner == LIVE -> inner = RETIRED; removed++; assert(removed == 1); ok = true
    :: else -> ok = false
#endif
    fi
  }
  if
  :: ok ->
     assert(payloadI == 2);
     claim(wT);
     if
     :: ok -> payloadT = 1; payloadT = 2;
        atomic { if :: producerT == LIVE -> producerT = RETIRED :: else fi }  /* S: AnyPromise+Settling.end: producer.retire */
        publishT()
     :: else -> leave()                                           /* Link.end, leaveAdopted */
     fi
  :: else -> linkDropped = true
  fi
}

/* AnyPromise.leaveAdopted: retires the producer, then the edge; who retires the edge takes the consumer away.
   At f7773c4 the edge is looked at only by the one who retires the producer (BROKEN_LEAVE_BY_PRODUCER). */
inline leave() {
  atomic {                                                        /* S: AnyPromise+Adopting.leaveAll: producer.retire */
    if :: producerT == LIVE -> producerT = RETIRED; ok = true :: else -> ok = false fi
  }
#ifdef BROKEN_LEAVE_BY_PRODUCER
  if
  :: ok -> leaveEdge()
  :: else -> last = false
  fi
#else
  leaveEdge()
#endif
}
inline leaveEdge() {
  edge = inner;                                                   /* S: AnyPromise+Adopting.leave: inner.promise */
  last = false;
  if
  :: edge == LIVE ->
     atomic {                                                     /* S: AnyPromise+Adopting.leave: inner.retire */
       if :: inner == LIVE -> inner = RETIRED; removed++; assert(removed == 1); ok = true :: else -> ok = false fi
     }
     if :: ok -> lostConsumer() :: else fi
  :: else
  fi
}

/* AnyPromise.publish, drain and close of I, whose list holds L or nothing. */
inline publishI() {
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingLinks: word.compareExchange */
    assert((wI & CLAIMED) && !(wI & DONE) && payloadI == 2); publishedI++; assert(publishedI == 1);
    if
    :: wI & FORWARD -> wI = (wI & ~FORWARD) | DONE; kind = 1
    :: else -> wI = wI | DONE | CLOSED; kind = 0
    fi
  }
  do
  :: kind == 1 ->
     fireL();
     atomic {                                                     /* S: AnyPromise+Settling.drain: word.compareExchange */
       if
       :: wI & FORWARD -> wI = wI & ~FORWARD; kind = 1
       :: else -> wI = wI | CLOSED; kind = 0
       fi
     }
  :: else -> break
  od
}

active proctype End() {
  (_nr_pr == 1);
  d_step {
    assert(wT == (CLAIMED | DONE | CLOSED) || !(wT & CLAIMED));
    assert(!(wI & CLAIMED) || (wI & DONE));
    /* I settled: nobody who adopted it is left pending. */
    assert(!(wI & DONE) || (wT & DONE));
    /* T settled: its edge is gone, and was removed once. */
    assert(!(wT & DONE) || inner != LIVE);
    assert(inner == EMPTY || removed <= 1);
    /* The count is the truth while I is pending, and nobody waits for a promise that nobody wants. */
    assert((wI & CLAIMED) || COUNT(wI) == (otherLeft -> 0 : 1) + ((adopted && removed == 0) -> 1 : 0));
    assert(!(otherLeft && adopted && removed == 1) || (wI & DONE))
  }
}

/* AdoptingLink.adopt and wait(for:). Rule 2.5: also if T was cancelled while the handler ran. */
active proctype Adopter() {
  LOCALS; bool counted, early;
  counted = false;
#ifdef BROKEN_CLAIM_CHECKED_BEFORE_EDGE
  early = ((wT & CLAIMED) != 0);
#endif
#ifndef BROKEN_COUNT_WITH_PUSH
  /* Counted before the edge is published, so that who retires the edge always finds the consumer it takes away. */
  old = wI; ok = false;                                           /* S: AnyPromise.cell: word.load */
  do
  :: ok || (old & (CLAIMED | CLOSED)) -> break
  :: else ->
     new = old + UNIT;
     atomic { CAS(wI, new); if :: ok -> adopted = true :: else fi }   /* S: AnyPromise+Detaching.countConsumer: word.compareExchange */
  od;
#endif
#ifndef BROKEN_EDGE_AFTER_PUSH
  inner = LIVE;                                                   /* S: AnyPromise+Adopting.wait: inner.publish */
#endif
  old = wI; ok = false;                                           /* S: AnyPromise.cell: word.load */
  do
  :: old & CLOSED -> fireL(); break                               /* attach, fire */
  :: else ->
     new = old | FORWARD;
#ifdef BROKEN_COUNT_WITH_PUSH
     if :: !(old & CLAIMED) -> new = new + UNIT :: else fi;
#endif
     atomic { CAS(wI, new); if :: ok && !(old & CLAIMED) -> adopted = true :: else fi }   /* S: AnyPromise+Attaching.push: word.compareExchange */
     if :: ok -> break :: else fi
  od;
#ifdef BROKEN_EDGE_AFTER_PUSH
  inner = LIVE;
#endif
#ifdef BROKEN_CLAIM_CHECKED_BEFORE_EDGE
  if
  :: early -> leave(); cancelIfLast()
  :: else
  fi
#else
  if                                                              /* S: AnyPromise.cellInOrder: word.load */
  :: wT & CLAIMED -> leave(); cancelIfLast()
  :: else
  fi
#endif
}

/* Cancels T, or does not: claim, write the error, look for the edge, publish. */
active proctype Canceller() {
  LOCALS;
  if
  :: claim(wT); if :: ok -> payloadT = 1; payloadT = 2; leave(); cancelIfLast(); publishT() :: else fi
  :: skip
  fi
}

/* The owner of I settles it, or never does. */
active proctype Owner() {
  LOCALS;
  if
  :: claim(wI); if :: ok -> payloadI = 1; payloadI = 2; publishI() :: else fi
  :: skip
  fi
}

/* Somebody else who waits for I stops waiting. */
active proctype Other() {
  LOCALS;
  if
  :: atomic { otherLeft = true } lostConsumer(); cancelIfLast()
  :: skip
  fi
}
