/* The promise of an owner who observes its clients (ClientPromise.swift).  The promise itself is `word`.  Clients retain a client
   promise, of which at most one is known at a time; its deinit gives the promise up unless there are consumers, and the last
   consumer that leaves afterwards gives it up.  Sequentially consistent.

   Five processes: the owner fulfils, or does nothing; client A has the first client promise, may attach a consumer, and releases
   it; the consumer leaves, or gives the promise up; client B asks the owner for a client promise, may attach a consumer, and
   releases it; a handler returns the first client promise, releases its reference, and becomes a consumer.

   Broken variants: BROKEN_MARK_UNLOOKED, BROKEN_LEAVING_UNLOOKED, BROKEN_LOOK_BEFORE_MARK, BROKEN_MARK_STAYS,
   BROKEN_RETURNED_RELEASED, BROKEN_SETTLED_UNLOOKED. */

#define CLAIMED 1
#define UNIT    2
#define COUNT(w) ((w) >> 1)

byte word = 0;                        /* of the promise: claimed, count of consumers */
bool unobserved = false;              /* SideReference: the mark */
byte known = 1;                       /* SideTable.clientPromise: 1 or 2; 0: none was made */
byte rc[3];                           /* references to the client promises; 0: deallocated */
bool locked = false;                  /* the lock of the side table */
bool byUs = false;                    /* ghost: it was cancelled because it was unobserved */
bool givenUp = false;                 /* ghost: by a consumer */
bool fulfilled = false;               /* ghost */
bool stable = false;                  /* ghost: B retains a client promise that it got while nothing was on its way to give up */
byte onTheWay = 0;                    /* ghost: who has found the mark, and has not given up yet */

#define ALIVE(c) (rc[c] > 0)
inline lock()   { atomic { !locked; locked = true } }
inline unlock() { locked = false }

/* DeferredSettlements.giveUpUnobserved */
inline giveUpUnobserved() {
#ifndef BROKEN_SETTLED_UNLOOKED
  atomic { found = unobserved; if :: found -> onTheWay++ :: else fi }   /* S: SideReference.isUnobserved: word.load */
#else
  found = true;
#endif
  if
  :: found ->
     atomic {                                                     /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
#ifndef BROKEN_SETTLED_UNLOOKED
       onTheWay--;
#endif
       if :: word == 0 -> word = CLAIMED; byUs = true; assert(!stable) :: else fi
     }
  :: else
  fi;
  found = false
}

/* Releases a reference; the last one runs AnyPromise.deinit, releaseClientPromise */
inline release(c) {
  atomic { assert(rc[c] > 0); rc[c]--; dying = (rc[c] == 0) }
  if
  :: dying ->
#ifdef BROKEN_LOOK_BEFORE_MARK
     found = (COUNT(word) == 0 && !(word & CLAIMED));
#endif
     lock();
#ifdef BROKEN_MARK_UNLOOKED
     unobserved = true; other = false;
#else
     other = (known != 0 && ALIVE(known));
     if :: other -> rc[known]++ :: else -> unobserved = true fi;  /* S: SideReference.markUnobserved: word.bitwiseOr */
     kept = known;
#endif
     unlock();
#ifndef BROKEN_LOOK_BEFORE_MARK
     found = (COUNT(word) == 0 && !(word & CLAIMED));             /* S: ClientPromise.releaseClientPromise: stateInOrder */
#endif
     if :: found && !other -> giveUpUnobserved() :: else fi;
     found = false;
     /* The other one, if it was retained to look: here its last reference is not released, or its deinit would look alike. */
     if :: other -> atomic { assert(rc[kept] > 0); rc[kept]--; again = (rc[kept] == 0) } :: else fi
  :: else
  fi;
  dying = false; other = false
}
/* The deinit of a successor whose last reference was that of a dying client promise. */
inline releaseSuccessor() {
  if
  :: again -> again = false;
     lock(); unobserved = true; unlock();
     found = (COUNT(word) == 0 && !(word & CLAIMED));
     if :: found -> giveUpUnobserved() :: else fi;
     found = false
  :: else
  fi
}

/* AnyPromise+Attaching.push, or addConsumer: `won` */
inline consume() {
  atomic {                                                        /* S: AnyPromise+Attaching.push: word.compareExchange */
    won = !(word & CLAIMED);
    if :: won -> word = word + UNIT :: else fi
  }
}
/* removeConsumer */
inline leave() {
  atomic {                                                        /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
    last = !(word & CLAIMED) && COUNT(word) == 1;
    if :: !(word & CLAIMED) -> word = word - UNIT :: else fi
  }
#ifndef BROKEN_LEAVING_UNLOOKED
  if :: last -> giveUpUnobserved() :: else fi;
#endif
  last = false
}
/* giveUp by a consumer: the last claims */
inline giveUp() {
  atomic {
    if
    :: !(word & CLAIMED) && COUNT(word) == 1 -> word = CLAIMED; givenUp = true
    :: !(word & CLAIMED) && COUNT(word) > 1 -> word = word - UNIT
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
    /* No client and no consumer is left: it is settled. */
    assert(word & CLAIMED);
    /* Only one thing has settled it. */
    assert(byUs + givenUp + fulfilled == 1);
    assert(!locked && onTheWay == 0)
  }
}

active proctype Owner() provided (ready) {
  if
  :: atomic { if :: !(word & CLAIMED) -> word = CLAIMED; fulfilled = true :: else fi }   /* S: AnyPromise+Settling.claim: word.compareExchange */
  :: skip
  fi
}

/* All processes begin with the first client promise retained twice: by A, and by the handler that returns it. */
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
  consume();                                                      /* S: AnyPromise+Adopting.wait: addConsumer */
  if :: !won -> assert(!byUs) :: else fi;
  release(1); releaseSuccessor();
  if :: won -> leave() :: else fi
#endif
}

/* Deferred.promise: clientPromise */
active proctype B() provided (ready) {
  LOCALS;
  byte mine = 0;
  lock();
  atomic {
    if
    :: ALIVE(known) -> rc[known]++; mine = known                  /* S: ClientPromise.clientPromise: contents.clientPromise */
    :: else -> known = 2; rc[2] = 1; mine = 2;
#ifndef BROKEN_MARK_STAYS
       unobserved = false                                         /* S: SideReference.unmarkUnobserved: word.bitwiseAnd */
#endif
    fi;
    /* What is on its way may have found the mark before. */
    stable = (onTheWay == 0)
  }
  unlock();
  if
  :: consume(); if :: won -> leave() :: else fi
  :: skip
  fi;
  stable = false;
  release(mine); releaseSuccessor()
}

