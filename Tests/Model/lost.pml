/* What goes without a word: an owner, a job, the last who wants something.  S is the promise of a `Deferred`, and follows Q or
   nothing; L is a reaction from S to T, with a handler for the value.  Up to five processes: the owner settles S, or lets its deferred go, or
   keeps it; the owner of Q settles Q, or not; a client cancels T, with or without what is above it; another attaches N to S, from which M
   is derived, and cancels M with what is above it; a context gets the job of L, or two of them a copy each: it is run, refused, or
   dropped.  Sequentially consistent.

   Broken variants: BROKEN_DROP_IGNORES_FOLLOWING, BROKEN_DROP_BY_STORE, BROKEN_DROPPED_JOB_SILENT, BROKEN_DEINIT_WITHOUT_RETIRING,
   BROKEN_RUNS_TWICE, BROKEN_LAST_READ_BEFORE, BROKEN_CANCEL_KEEPS_EDGE, BROKEN_REFUSES_STARTED, BROKEN_GIVES_UP_NOTHING,
   BROKEN_LEAVING_GIVES_UP, BROKEN_OWNER_GIVES_UP, BROKEN_TWO_STEPS. */

#define CLAIMED  1
#define DONE     2
#define REJECTED 4
#define CALLED   8

#define STARTED  1
#define FIRED    2
#define DETACHED 4

#define RETIRED 1
#define PIN     2

byte S, T, M, Q;                      /* StateWord */
byte countS = 1, countQ;              /* consumers: L; F and nobody else */
bool listedL = true, listedN, listedF;
bool follows, edge;                   /* S follows Q; the edge of F, the forward from Q to S, is live */
byte reaction, linkN;                     /* ReactionWord of L and N */
byte producer;                        /* of T: refers to L */
byte rcL = 1; bool freedL;            /* held by the list, then by both copies of the job */
byte bodyTaken, ran;
byte jobs, copies = 1;                /* of the job: those that there are, and that there will be */
bool fired, ended;                    /* L: by S; and it has let T go */
bool broken, gaveUp, returned;        /* `gaveUp`: the last who went from S gave it up */
bool goesUp, cancelledS;              /* a call gives up; S was cancelled */

#define LOCALS bool won, seen, pinned, last, rejects, takes, takesN, taken

/* AnyPromise.claim, and what is written then */
inline claim(p, how) {
  atomic { won = !(p & CLAIMED); if :: won -> p = p | CLAIMED | (how) :: else fi }   /* S: AnyPromise+Settling.claim: word.compareExchange */
}
inline publishLeaf(p) { atomic { assert((p & CLAIMED) && !(p & DONE)); p = p | DONE } }   /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */

/* Reaction.endWithoutSettling of L: T is claimed; or Reaction.endUnrun.  Waits for pins. */
inline retireL() { atomic { (producer < PIN); producer = producer | RETIRED } }   /* S: PinnedReference.change: word.compareExchange */
inline releaseL() {
  atomic { assert(!freedL && rcL > 0); rcL--; last = (rcL == 0) }
  if
  :: last && !ended ->
     /* Reaction.deinit, endUnrun */
#ifndef BROKEN_DEINIT_WITHOUT_RETIRING
     retireL();
#endif
     atomic { freedL = true; if :: bodyTaken == 0 -> bodyTaken = 1 :: else fi }
#ifndef BROKEN_DROPPED_JOB_SILENT
     claim(T, REJECTED);                                          /* DeferredSettlements.reject */
     if :: won -> publishLeaf(T) :: else fi
#endif
  :: last && ended -> freedL = true
  :: else
  fi;
  atomic { last = false; won = false }
}

/* AnyPromise.publish and drain of S, with L and N */
inline publishS() {
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
    assert((S & CLAIMED) && !(S & DONE)); S = S | DONE;
    takes = listedL; takesN = listedN; listedL = false; listedN = false
  }
  if
  :: takes && (S & REJECTED) ->
     atomic { assert(!freedL); won = !(reaction & (STARTED | DETACHED)); reaction = reaction | STARTED; if :: won -> bodyTaken++ :: else fi }   /* S: Reaction+Settling.winPassing: start() */
     if
     :: won -> claim(T, REJECTED); if :: won -> publishLeaf(T) :: else fi; retireL(); ended = true
     :: else
     fi;
     releaseL()
  :: takes && !(S & REJECTED) ->
     atomic {                                                     /* S: Reaction.markFired: word.compareExchange */
       assert(!freedL); won = !(reaction & DETACHED); if :: won -> reaction = reaction | FIRED; rcL = copies; jobs = copies :: else fi
     }
     if :: !won -> releaseL() :: else fi
  :: else
  fi;
  if :: takesN -> fireN() :: else fi;
  atomic { fired = true; takes = false; takesN = false; won = false }
}
/* N has no handler for S's outcome: it passes to M. */
inline fireN() {
  atomic { won = !(linkN & (STARTED | DETACHED)); linkN = linkN | STARTED }   /* S: Reaction+Settling.winPassing: start() */
  if :: won -> claim(M, S & REJECTED); if :: won -> publishLeaf(M) :: else fi :: else fi
}

/* AnyPromise.leaveAdopted of S, which is claimed: the edge is `taken`, and still counted */
inline endEdge() {
  atomic { taken = edge; edge = false }                           /* S: AnyPromise+Adopting.endEdge: adopted.retire */
}
/* What S followed is given up if S is cancelled, and else left. S has been published. */
inline departQ(gives) {
  if
  :: taken && (gives) ->
     atomic {                                                     /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
       won = false;
       if
       :: !(Q & CLAIMED) && countQ == 1 -> Q = Q | CLAIMED | REJECTED | CALLED; won = true
       :: !(Q & CLAIMED) && countQ > 1 -> countQ--
       :: else
       fi
     }
     if :: won -> publishLeaf(Q) :: else fi
  :: taken && !(gives) ->
     atomic { if :: !(Q & CLAIMED) -> assert(countQ > 0); countQ-- :: else fi }   /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
  :: else
  fi;
  atomic { taken = false; won = false }
}

inline alone() { assert(!(listedL && !(reaction & DETACHED)) && !(listedN && !(linkN & DETACHED))) }

/* A consumer of S leaves, or gives it up. The last one claims it, in the same step: AnyPromise.giveUp, Cancellation.visit */
inline departS(gives) {
#ifdef BROKEN_LAST_READ_BEFORE
  last = (countS == 1 && !(S & CLAIMED));
  atomic { won = false; if :: !(S & CLAIMED) -> countS--; if :: last && (gives) -> S = S | CLAIMED | REJECTED | CALLED; won = true; alone() :: else fi :: else fi }
#elif defined(BROKEN_TWO_STEPS)
  atomic { last = false; won = false; if :: !(S & CLAIMED) -> countS--; last = (countS == 0) :: else fi }
  if :: last && (gives) -> atomic { won = !(S & CLAIMED); if :: won -> alone(); S = S | CLAIMED | REJECTED | CALLED :: else fi } :: else fi;
#else
  atomic {                                                        /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
    won = false;
    if
    :: !(S & CLAIMED) && countS == 1 && (gives) -> S = S | CLAIMED | REJECTED | CALLED; won = true; alone()
    :: !(S & CLAIMED) && !(countS == 1 && (gives)) ->
       assert(countS > 0); countS--; gaveUp = (gives)             /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
    :: else
    fi
  }
#endif
  if
  :: won ->
     cancelledS = true;
#ifndef BROKEN_CANCEL_KEEPS_EDGE
     endEdge();
#endif
     publishS();
     departQ(true)
  :: else
  fi;
  last = false
}

/* Deferred.fulfill, or Deferred.deinit */
proctype Owner() {
  LOCALS;
  if
  :: claim(S, 0);
     if
     :: won ->
        if :: follows -> endEdge() :: else fi;                    /* S: Deferred.settleAsOwner: isFollowing */
#ifdef BROKEN_OWNER_GIVES_UP
        departQ(true);
#else
        departQ(false);
#endif
        publishS()
     :: else
     fi
  :: seen = (S & CLAIMED);                                        /* S: Deferred.deinit: source.isUnclaimed */
#ifdef BROKEN_DROP_IGNORES_FOLLOWING
     if :: !seen ->
#else
     if :: !seen && !follows ->                                   /* S: Deferred.breakUnlessFollowing: isFollowing */
#endif
#ifdef BROKEN_DROP_BY_STORE
        atomic { S = S | CLAIMED | REJECTED; won = true }
#else
        claim(S, REJECTED);                                       /* DeferredSettlements.reject */
#endif
        if :: won -> broken = true; assert(!follows); publishS() :: else fi
     :: else
     fi
  :: skip
  fi
}

/* Settles Q, or not.  Reaction.pass of F */
proctype OwnerQ() {
  LOCALS;
  claim(Q, 0);
  if
  :: won ->
     publishLeaf(Q);
     atomic { won = edge; edge = false }                          /* S: Reaction+Settling.winPassing: adopted.retire */
     if :: won -> claim(S, 0); if :: won -> publishS() :: else fi :: else fi
  :: else
  fi
}

/* Cancellation of T: giveUpUpstream, LeftReaction.take */
proctype Client(bool gives) {
  LOCALS;
  goesUp = goesUp || gives;
  claim(T, REJECTED | CALLED);
  if
  :: won ->
     atomic { pinned = !(producer & RETIRED); if :: pinned -> producer = producer + PIN :: else fi }   /* S: PinnedReference.pin: word.compareExchange */
     if
     :: pinned ->
        atomic { assert(!freedL); seen = (S & CLAIMED) }          /* S: Leaving.take: source.acquiredState */
        atomic {                                                  /* S: Reaction.detach: word.bitwiseOr */
          assert(!freedL); won = !(reaction & (STARTED | DETACHED)); reaction = reaction | DETACHED; if :: won -> bodyTaken++ :: else fi
        }
        atomic { producer = producer - PIN }                      /* S: PinnedReference.unpin: word.wrappingSubtract */
        retireL()
     :: else -> seen = true
     fi;
     publishLeaf(T);
#ifdef BROKEN_GIVES_UP_NOTHING
     if :: !seen -> departS(false); gaveUp = gives :: else fi
#elif defined(BROKEN_LEAVING_GIVES_UP)
     if :: !seen -> departS(true) :: else fi
#else
     if :: !seen -> departS(gives) :: else fi
#endif
  :: else
  fi;
  returned = true
}

/* AnyPromise.attach of N, and later M is cancelled with what is above it */
proctype Other() {
  LOCALS;
  atomic {                                                        /* S: AnyPromise+Attaching.push: word.compareExchange */
    seen = ((S & DONE) != 0);
    if :: !seen -> listedN = true; if :: !(S & CLAIMED) -> countS++; gaveUp = false :: else fi :: else fi
  }
  if
  :: seen -> fireN()
  :: else ->
     goesUp = true;
     claim(M, REJECTED | CALLED);
     if
     :: won ->
        seen = (S & CLAIMED);                                     /* S: Leaving.take: source.acquiredState */
        atomic { linkN = linkN | DETACHED }                       /* S: Reaction.detach: word.bitwiseOr */
        publishLeaf(M);
        if :: !seen -> departS(true) :: else fi
     :: else
     fi
  fi
}

/* A context with the job, or a copy of it.  Job.run, Job.reject, or let go */
proctype Context() {
  LOCALS; byte how;
end:
  (jobs || fired);
  if
  :: jobs ->
     if :: how = 1 :: how = 2 :: how = 3 fi;
     if
     :: how < 3 ->
        atomic {                                                  /* S: Reaction.start: word.bitwiseOr */
          assert(!freedL); won = !(reaction & (STARTED | DETACHED));
#ifdef BROKEN_RUNS_TWICE
          won = !(reaction & DETACHED);
#endif
#ifdef BROKEN_REFUSES_STARTED
          if :: how == 2 -> won = true :: else fi;
#endif
          reaction = reaction | STARTED;
          if :: won -> bodyTaken++; if :: how == 1 -> ran++; assert(!returned || !(T & CALLED) || !(reaction & DETACHED)) :: else fi :: else fi
        }
        if
        :: won ->
           claim(T, (how == 2 -> REJECTED : 0)); if :: won -> publishLeaf(T) :: else fi;
           retireL(); ended = true
        :: else
        fi
     :: else
     fi;
     releaseL()
  :: else
  fi
}

init {
  atomic {
    run Context();
    if
    :: copies = 2; run Context(); run Owner(); if :: run Client(true) :: run Client(false) :: skip fi
    :: follows = true; edge = true; countQ = 1; run Owner(); if :: run Client(true) :: run Client(false) fi; if :: run OwnerQ() :: skip fi
    :: follows = true; edge = true; countQ = 1; run Owner(); run OwnerQ()
    :: run Owner(); run Client(true); run Other()
    fi
  }
  (_nr_pr == 1 || _nr_pr == 1 + copies && timeout);               /* a context may wait for ever, for a job that does not come */
  d_step {
    /* Nobody is left waiting for what cannot come any more. */
    assert(!(S & CLAIMED) || (S & DONE)); assert(!(M & CLAIMED) || (M & DONE));
    assert(!(T & CLAIMED) || (T & DONE)); assert(!(S & DONE) || (T & DONE) && freedL);
    assert(bodyTaken == ((T & DONE) != 0) && ran <= 1);
    assert(!listedN || !(S & DONE));
    /* The counts are true, and what was given up last does not go on. */
    assert((S & CLAIMED) || countS == (listedL && !(reaction & DETACHED)) + (listedN && !(linkN & DETACHED)));
    assert(!gaveUp || (S & CLAIMED) || countS > 0);
    /* Leaving cancels nothing. */
    assert(goesUp || !cancelledS && !(Q & CALLED));
    assert(!(Q & CALLED) || cancelledS);
    assert((Q & CLAIMED) || countQ == edge);
    assert(!edge || !(S & CLAIMED));
    assert(!(S & CALLED) || !follows || (Q & CLAIMED))
  }
}
