/* Adoption: a target T, whose producing reaction L has a handler that returned the promise I, while T is cancelled or settled in another
   way, I settles, another consumer of I leaves it or gives it up, and a third comes and stays.  Five processes, each at most once.
   Sequentially consistent.

   If T is cancelled, I is given up exactly once, by whoever retires the edge; if T is settled otherwise, I is left (rules 3.4 and 4.4).
   Objects are reference counted only where `pinned.pml` and `collapse.pml` do not show it already.

   Broken variants: BROKEN_CLAIM_CHECKED_BEFORE_EDGE, BROKEN_LEAVE_BY_PRODUCER, BROKEN_COUNT_WITH_PUSH,
   BROKEN_EDGE_AFTER_PUSH, BROKEN_FORWARD_WITHOUT_RETIRING, BROKEN_COUNT_AFTER_PUSH, BROKEN_BOTH_RETIRE,
   BROKEN_ADOPTER_LEAVES, BROKEN_LEAVING_GIVES_UP, BROKEN_TWO_STEPS, BROKEN_GIVES_UP_FIRST. */

#define CLAIMED 1
#define DONE    2
#define CLOSED  4
#define FORWARD 8                     /* L is in the list (only T's L ever is) */
#define CALLED  16                    /* by a cancellation */
#define UNIT    32
#define COUNT(w) (((w) >> 5) & 7)
#define COUNTS  (7 << 5)

/* PinnedReference, as one atomic word (see pinned.pml for the pins). */
#define EMPTY   0
#define LIVE    1
#define RETIRED 2

short wT = 0;                         /* T: nobody waits for it here */
short wI = UNIT;                      /* I: one other consumer at first */
byte payloadT = 0, payloadI = 0;      /* 2: written */
byte producerT = LIVE;                /* T.producer -> L, published by derive */
byte adopted = EMPTY;                   /* L.adopted -> I */

/* What really is. */
byte removed = 0;                     /* how often the edge L.adopted was taken away */
bool linkFired = false, linkListed = false, linkDropped = false;
bool otherLeft = false, hasAdopted = false;
byte publishedT = 0, publishedI = 0;
byte given = 0, left = 0;             /* how often I was given up, or left, because of T */
bool otherGave = false, stays = false;  /* the other consumer gives I up; the third has come */
bool lastGave = false;                /* the last who went from I gave it up */

#define CAS(w, new) atomic { if :: w == old -> w = new; ok = true :: else -> old = w; ok = false fi }
#define LOCALS short old; short new; bool ok; byte kind, edge; bool had

/* AnyPromise.claim */
inline claim(w, bits) {
  old = w; ok = false;                                            /* S: AnyPromise.relaxedState: word.load */
  do
  :: ok || (old & (CLAIMED | CLOSED)) -> break
  :: else -> new = (old & ~COUNTS) | CLAIMED | bits; CAS(w, new)  /* S: AnyPromise+Settling.claim: word.compareExchange */
  od
}

/* AnyPromise.publish, drain and close of T: nothing waits there. */
inline publishT() {
  atomic { assert(payloadT == 2); wT = wT | DONE | CLOSED; publishedT++; assert(publishedT == 1) }  /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
}

/* AnyPromise.removeConsumer: no more than a number */
inline leaveI() {
  old = wI; ok = false;                                           /* S: AnyPromise.relaxedState: word.load */
  do
  :: ok || (old & (CLAIMED | CLOSED)) || COUNT(old) == 0 -> break
  :: else ->
     new = old - UNIT;
     atomic { CAS(wI, new); if :: ok -> lastGave = false :: else fi }   /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
  od
}

/* AnyPromise.giveUp: the last claims, in the same exchange; then Cancellation.visit */
inline giveUpI() {
  old = wI; ok = false; kind = 0;                                 /* S: AnyPromise.relaxedState: word.load */
  do
  :: ok || (old & (CLAIMED | CLOSED)) -> break
  :: else ->
#ifdef BROKEN_TWO_STEPS
     new = old - UNIT; kind = (COUNT(old) == 1);
     CAS(wI, new)
#else
     if
     :: COUNT(old) <= 1 -> new = (old & ~COUNTS) | CLAIMED | CALLED; kind = 1
     :: else -> new = old - UNIT; kind = 0
     fi;
     atomic {                                                     /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
       CAS(wI, new);
       if
       :: ok ->
          lastGave = true;
          /* Whoever takes the last consumer away takes away what was counted, and nobody else's (rule 4.4). */
          assert(!kind || !stays && (otherLeft || otherGave) && (!hasAdopted || removed == 1))
       :: else
       fi
     }
#endif
  od;
#ifdef BROKEN_TWO_STEPS
  if
  :: ok && kind -> claim(wI, CALLED); if :: ok -> assert(!stays); payloadI = 1; payloadI = 2; publishI() :: else fi
#else
  if
  :: ok && kind -> payloadI = 1; payloadI = 2; publishI()
#endif
  :: else
  fi
}

/* Reaction.pass(outcomeOf:) with winPassing, for the forward L; AnyPromise.Settlement.complete, Reaction.endWithoutSettling */
inline fireL() {
  assert(!linkFired); linkFired = true;
  atomic {                                                        /* S: Reaction+Settling.winPassing: adopted.retire */
    if
#ifdef BROKEN_FORWARD_WITHOUT_RETIRING
    :: true -> ok = true; removed++
#else
    :: adopted == LIVE -> adopted = RETIRED; removed++; assert(removed == 1); ok = true
    :: else -> ok = false
#endif
    fi
  }
  if
  :: ok ->
     assert(payloadI == 2);
     claim(wT, 0);
     if
     :: ok -> payloadT = 1; payloadT = 2;
        atomic { if :: producerT == LIVE -> producerT = RETIRED :: else fi }  /* S: Reaction+Settling.stopSettling: producer.retire */
        publishT()
     :: else -> retire()                                          /* Reaction.endWithoutSettling, leaveAdopted: I is settled */
     fi
  :: else -> linkDropped = true
  fi
}

/* AnyPromise.leaveAdopted: retires the producer, then the edge: `had`, it was ours, and still is counted.
   At f7773c4 the edge is looked at only by the one who retires the producer (BROKEN_LEAVE_BY_PRODUCER). */
inline retire() {
  atomic {                                                        /* S: AnyPromise+Adopting.takeAdopted: producer.retire */
    if :: producerT == LIVE -> producerT = RETIRED; ok = true :: else -> ok = false fi
  }
  had = false;
#ifdef BROKEN_LEAVE_BY_PRODUCER
  if
  :: ok -> retireEdge()
  :: else
  fi
#else
  retireEdge()
#endif
}
inline retireEdge() {
  edge = adopted;                                                   /* S: AnyPromise+Adopting.endEdge: adopted.promise */
  if
  :: edge == LIVE ->
     atomic {                                                     /* S: AnyPromise+Adopting.endEdge: adopted.retire */
#ifdef BROKEN_BOTH_RETIRE
       adopted = RETIRED; removed = 1; had = true
#else
       if :: adopted == LIVE -> adopted = RETIRED; removed++; assert(removed == 1); had = true :: else fi
#endif
     }
  :: else
  fi
}

/* Of the one who has retired the edge: Cancellation.visit of I, or Departure.leave */
inline depart(gives) {
  if
  :: had && (gives) -> given++; giveUpI()
  :: had && !(gives) -> left++; leaveI()
  :: else
  fi;
  had = false
}

/* AnyPromise.publish, drain and close of I, whose list holds L or nothing. */
inline publishI() {
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
    assert((wI & CLAIMED) && !(wI & DONE) && payloadI == 2); publishedI++;
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
    assert(!(wT & CLAIMED) || (wT & CLOSED));
    assert(!(wI & CLAIMED) || (wI & CLOSED));
    /* I settled: nobody who adopted it is left pending, and nobody who came later. */
    assert(!(wI & DONE) || (wT & DONE));
    /* T settled: its edge is gone, and was removed once. Cancelled: it has given I up, unless I was faster; else it has left it. */
    assert(!(wT & DONE) || adopted != LIVE);
    assert(adopted == EMPTY || removed <= 1);
    assert(given + left <= 1 && (!given || (wT & CALLED)) && (!left || !(wT & CALLED)));
    assert(!(wT & CALLED) || given || linkFired);
    /* The count is the truth while I is pending, and nobody waits for what was given up last. */
    assert((wI & CLAIMED) || COUNT(wI) == ((otherLeft || otherGave) -> 0 : 1) + ((hasAdopted && removed == 0) -> 1 : 0) + stays);
    assert((wI & CLAIMED) || COUNT(wI) || !lastGave);
    /* Nobody but who gives up cancels: leaving does not. */
    assert(!(wI & CALLED) || otherGave || given);
    assert(publishedI <= 1)
  }
}

/* AdoptingReaction.adopt and wait(for:). Rule 2.5: also if T was cancelled while the handler ran. */
active proctype Adopter() {
  LOCALS; bool counted, early;
  counted = false;
#ifdef BROKEN_CLAIM_CHECKED_BEFORE_EDGE
  early = ((wT & CLAIMED) != 0);
#endif
#if !defined(BROKEN_COUNT_WITH_PUSH) && !defined(BROKEN_COUNT_AFTER_PUSH)
  /* Counted before the edge is published, so that who retires the edge always finds the consumer it takes away. */
  old = wI; ok = false;                                           /* S: AnyPromise.acquiredState: word.load */
  do
  :: ok || (old & (CLAIMED | CLOSED)) -> break
  :: else ->
     new = old + UNIT;
     atomic { CAS(wI, new); if :: ok -> hasAdopted = true :: else fi }   /* S: AnyPromise+Consumers.addConsumerUnlessForwarded: word.compareExchange */
  od;
#endif
#ifndef BROKEN_EDGE_AFTER_PUSH
  adopted = LIVE;                                                   /* S: AnyPromise+Adopting.wait: adopted.publish */
#endif
  old = wI; ok = false;                                           /* S: AnyPromise.acquiredState: word.load */
  do
  :: old & CLOSED -> fireL(); break                               /* attach, fire */
  :: else ->
     new = old | FORWARD;
#ifdef BROKEN_COUNT_WITH_PUSH
     if :: !(old & CLAIMED) -> new = new + UNIT :: else fi;
#endif
     atomic { CAS(wI, new); if :: ok && !(old & CLAIMED) -> hasAdopted = true :: else fi }   /* S: AnyPromise+Attaching.push: word.compareExchange */
     if :: ok -> break :: else fi
  od;
#ifdef BROKEN_EDGE_AFTER_PUSH
  adopted = LIVE;
#endif
#ifdef BROKEN_COUNT_AFTER_PUSH
  atomic { if :: !(wI & (CLAIMED | CLOSED)) -> wI = wI + UNIT; hasAdopted = true :: else fi }
#endif
#ifdef BROKEN_CLAIM_CHECKED_BEFORE_EDGE
  if
  :: early -> retire(); depart(wT & CALLED)
#else
  if                                                              /* S: AnyPromise.stateInOrder: word.load */
  :: wT & CLAIMED -> retire();
     /* AnyPromise.giveUpWithThis: not before T is published */
     if :: had -> (wT & DONE) :: else fi;
#ifdef BROKEN_ADOPTER_LEAVES
     depart(false)
#else
     depart(wT & CALLED)
#endif
#endif
  :: else
  fi
}

/* Cancels T, or settles it in another way (it is timed out, alone), or does not: claims, writes the error, retires the edge, leaves I,
   or publishes first and then gives it up. */
active proctype Canceller() {
  LOCALS; short bits;
  if
  :: if :: bits = CALLED :: bits = 0 fi;
     claim(wT, bits);
     if
     :: ok -> payloadT = 1; payloadT = 2; retire();
#ifdef BROKEN_GIVES_UP_FIRST
        if :: had -> assert(wT & DONE) :: else fi; depart(bits); publishT()
#elif defined(BROKEN_LEAVING_GIVES_UP)
        publishT(); depart(true)
#else
        if :: !bits -> depart(false) :: else fi;
        publishT(); depart(true)
#endif
     :: else
     fi
  :: skip
  fi
}

/* The owner of I settles it, or never does. */
active proctype Owner() {
  LOCALS;
  if
  :: claim(wI, 0); if :: ok -> payloadI = 1; payloadI = 2; publishI() :: else fi
  :: skip
  fi
}

/* Somebody else who waits for I leaves, or gives it up. */
active proctype Other() {
  LOCALS;
  if
  :: atomic { otherLeft = true } leaveI()
  :: atomic { otherGave = true } giveUpI()
  :: skip
  fi
}

/* Somebody comes to wait for I: AnyPromise.attach.  Its reaction is none of the model's: one step counts and pushes it. */
active proctype Comer() {
  if
  :: atomic {                                                     /* S: AnyPromise+Attaching.push: word.compareExchange */
       if :: !(wI & (CLAIMED | CLOSED)) -> wI = wI + UNIT; stays = true; lastGave = false :: else fi
     }
  :: skip
  fi
}
