/* The promise of an owner that observes its clients (ClientPromise.swift). `word` is the promise itself. Clients retain
   a client promise, of which at most one is known at a time. Its deinit gives the promise up unless the promise has
   consumers. In that case the last consumer that leaves afterwards gives it up. Sequentially consistent.

   Four processes:
   - the owner fulfils, or does nothing;
   - client A has the first client promise, may attach a consumer, and releases it, and the consumer then leaves, or
     gives the promise up;
   - client B asks the owner for a client promise, may attach a consumer, and releases it;
   - a handler returns the first client promise, releases its reference, and becomes a consumer. */

#define DONE 1
#define UNIT 2
#define COUNT(w) ((w) >> 1)

byte word = 0;                        /* of the promise: done, count of consumers */
bool unobserved = false;              /* SideTable.isUnobserved */
byte known = 1;                       /* SideTable.clientPromise: 1 or 2 */
byte rc[3];                           /* references to the client promises; 0: deallocated */
bool byUs = false;                    /* ghost: the promise was cancelled because it was unobserved */
bool givenUp = false;                 /* ghost: a consumer gave up the promise */
bool fulfilled = false;               /* ghost */
bool stable = false;                  /* ghost: B retains a client promise that it got while onTheWay was 0 */
byte onTheWay = 0;                    /* ghost: the threads that have found the mark and have not given up yet */

#define ALIVE(c) (rc[c] > 0)

/* UnnestedWork.giveUpUnobserved */
inline giveUpUnobserved() {
#ifndef BROKEN_SETTLED_UNLOOKED
  atomic { found = unobserved; if :: found -> onTheWay++ :: else fi }   /* S: Cancellation.init: add(Departure(promise: promise), givingUp: false) */
#else
  found = true;
#endif
  if
  :: found ->
     atomic {                                                     /* S: Cancellation.init: add(Departure(promise: promise), givingUp: false) */
#ifndef BROKEN_SETTLED_UNLOOKED
       onTheWay--;
#endif
       if :: word == 0 -> word = DONE; byUs = true; assert(!stable) :: else fi
     }
  :: else
  fi;
  found = false
}

/* Releases a reference. The last release runs AnyPromise.deinit, releaseClientPromise. */
inline release(c) {
  atomic { assert(rc[c] > 0); rc[c]--; dying = (rc[c] == 0) }
  if
  :: dying ->
#ifdef BROKEN_LOOK_BEFORE_MARK
     found = (COUNT(word) == 0 && !(word & DONE));
#endif
     atomic {                                                     /* S: ClientPromise.releaseClientPromise: let state = promise.lock() */
#ifdef BROKEN_MARK_UNLOOKED
       unobserved = true; other = false;
#else
       other = (known != 0 && ALIVE(known));                      /* S: ClientPromise.releaseClientPromise: promise.side?.clientPromise */
       if :: other -> rc[known]++ :: else -> unobserved = true fi;  /* S: ClientPromise.releaseClientPromise: promise.side?.isUnobserved = true */
       kept = known;
#endif
#ifndef BROKEN_LOOK_BEFORE_MARK
       found = (COUNT(word) == 0 && !(word & DONE))               /* S: ClientPromise.releaseClientPromise: state.isPending, state.consumers == 0 */
#endif
     }
     if :: found && !other -> giveUpUnobserved() :: else fi;
     found = false;
     /* Releases the other client promise, if it was retained for the check. If this was its last reference,
        releaseSuccessor runs its deinit. */
     if :: other -> atomic { assert(rc[kept] > 0); rc[kept]--; again = (rc[kept] == 0) } :: else fi
  :: else
  fi;
  dying = false; other = false
}
/* The deinit of a successor whose last reference belonged to the deinit of another client promise. */
inline releaseSuccessor() {
  if
  :: again -> again = false;
     atomic { unobserved = true; found = (COUNT(word) == 0 && !(word & DONE)) }
     if :: found -> giveUpUnobserved() :: else fi;
     found = false
  :: else
  fi
}

/* AnyPromise.append, with its result in `won` */
inline consume() {
  atomic {                                                        /* S: Attaching.append: let state = source.lock() */
    won = !(word & DONE);
    if :: won -> word = word + UNIT :: else fi
  }
}
/* Departure.leave */
inline leave() {
  atomic {                                                        /* S: Departing.leave: state.consumers == 0 */
    last = !(word & DONE) && COUNT(word) == 1 && unobserved;
    if :: !(word & DONE) -> word = word - UNIT :: else fi
  }
#ifndef BROKEN_LEAVING_UNLOOKED
  if :: last -> giveUpUnobserved() :: else fi;
#endif
  last = false
}
/* A consumer gives the promise up. The last consumer settles it in the same section. */
inline giveUp() {
  atomic {                                                        /* S: Cancellation.carryOut: if state.consumers == 0, givingUp */
    if
    :: !(word & DONE) && COUNT(word) == 1 -> word = DONE; givenUp = true
    :: !(word & DONE) && COUNT(word) > 1 -> word = word - UNIT
    :: else
    fi
  }
}

#define LOCALS bool won, last, dying, found, other, again; byte kept

bool ready = false;
active proctype End() {
  d_step { rc[1] = 2; ready = true }
  (_nr_pr == 1);
  d_step {
    assert(rc[0] == 0 && rc[1] == 0 && rc[2] == 0);
    /* The promise is settled, because no client and no consumer is left. */
    assert(word & DONE);
    /* It was settled in exactly one way. */
    assert(byUs + givenUp + fulfilled == 1);
    assert(onTheWay == 0)
  }
}

active proctype Owner() provided (ready) {
  if
  :: atomic { if :: !(word & DONE) -> word = DONE; fulfilled = true :: else fi }         /* S: Settling.settle: let state = lock() */
  :: skip
  fi
}

/* At the beginning, A and the handler retain the first client promise. */
active proctype A() provided (ready) {
  LOCALS;
  if
  :: consume();
     release(1); releaseSuccessor();
     if
     :: won -> if :: leave() :: giveUp() fi
     :: else
     fi
  :: release(1); releaseSuccessor()
  fi
}

active proctype Handler() provided (ready) {
  LOCALS;
#ifdef BROKEN_RETURNED_RELEASED
  release(1); releaseSuccessor();
  consume();
  if :: won -> leave() :: else -> assert(!byUs) fi
#else
  consume();                                                      /* S: Adopting.adopt: entry.append(to: adopted, looksAgain: true) */
  if :: !won -> assert(!byUs) :: else fi;
  release(1); releaseSuccessor();
  if :: won -> leave() :: else fi
#endif
}

/* Deferred.promise: clientPromise */
active proctype B() provided (ready) {
  LOCALS;
  byte mine = 0;
  atomic {
    if
    :: ALIVE(known) -> rc[known]++; mine = known                  /* S: ClientPromise.clientPromise: side?.clientPromise */
    :: else -> known = 2; rc[2] = 1; mine = 2;
#ifndef BROKEN_MARK_STAYS
       unobserved = false                                         /* S: ClientPromise.clientPromise: sideTable.isUnobserved = false */
#endif
    fi;
    /* A thread that is about to give up may have found the mark before. */
    stable = (onTheWay == 0)
  }
  if
  :: consume(); if :: won -> leave() :: else fi
  :: skip
  fi;
  stable = false;
  release(mine); releaseSuccessor()
}

