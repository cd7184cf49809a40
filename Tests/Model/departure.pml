/* A promise T below S, which is settled and held, is settled by nothing above it: its time is up (or it waits for itself), the context
   drops its handler, a cancel reaches T alone, or its last consumer gives it up.  T leaves its link L, by which a cancel of S would find
   it; that link may also end by itself, or settle T.  B waits for T from the beginning, unless T is given up,
   or maybe if it is cancelled.  Two threads cancel S; the second attaches X to T before.  Somebody
   may be taking dead links out of T's list meanwhile, and is the one to fire it then.  Rules 4.2 and 4.3 want both B and X cancelled
   when all calls have returned.  Sequentially consistent.

   What is done under the lock of the scopes is one step; that what is listed below S stands in a word or in a scope is the
   business of `cancel`.  Handlers of B and X do not run.

   Broken variants: BROKEN_NO_STAND_IN and BROKEN_CANCEL_WITHOUT_STAND_IN (the engine up to cd581e3), BROKEN_STAND_IN_AFTER_CLAIM,
   BROKEN_STAND_IN_ENDS_EARLY, BROKEN_STAND_IN_NOT_HANDED_OVER, BROKEN_LINK_LEAVES_PRUNED (cd581e3 too), BROKEN_NOT_STAYED,
   BROKEN_STAND_IN_ONLY_WITH_LINKS (as it was at 8fc67b8),
   BROKEN_GIVEN_UP_NOT_STAYED, BROKEN_GIVEN_UP_WITHOUT_STAND_IN,
   BROKEN_GIVEN_UP_STAND_IN_AFTER_CLAIM, BROKEN_GIVEN_UP_LEAVES_REQUEST, BROKEN_TWO_STEPS. */

#define B   1
#define X   2
#define REQ 4                         /* a CancelRequest in the list of T */
#define SI  8                         /* a StandIn there */

#define CLAIMED 1
#define DONE    2
#define CLOSED  4
#define PRUNING 8

mtype = { timesOut, dropped, isCancelled, isGivenUp };
mtype way;

byte st, list, fired;                 /* of T; `fired`: what is active below it */
byte cancelled;                       /* of B and X */
byte standIns;                        /* how many are listed below S */
bool linked = true, producer = true;  /* L is listed below S; it is found from T */
bool stays;                           /* the scope of T is below that of S */
bool attached, xAfter;                /* X; it came after a request */
bool requested;                       /* by a call that cancels T by name, or from above */
bool counted;                         /* X is a consumer of T, which was open */

/* AnyPromise+Kin.activeTargets, asked of S. T itself, unless it is closed, and what is active below it */
#define FINDS_T ((linked || standIns) && !(st & CLOSED))
#define BELOW_T (stays -> fired : 0)

#define LOCALS byte got, kept, mine; bool won, above

/* AnyPromise.drain of T: fires what was taken, carries requests out, keeps stand-ins, and closes */
inline drain() {
  do
  :: got ->
     if
     :: got & REQ ->
        assert(requested);                                        /* what was given up leaves nothing for what was attached to it later */
        atomic {                                                  /* S: Settlement.carryOut: cancellation.claim() */
          cancelled = cancelled | ((got | fired) & B) | (((got & X) && !xAfter) || (fired & X) -> X : 0);
          xAfter = false; got = got & ~REQ
        }
     :: !(got & REQ) && (got & SI) -> atomic { kept = standIns; got = got & ~SI }   /* S: Settlement.keep: append */
     :: !(got & (REQ | SI)) && (got & B) -> atomic { fired = fired | B; got = got & ~B }   /* S: AnyPromise+Kin.addKin: KinScope.locked */
     :: !(got & (REQ | SI)) && (got & X) -> atomic { fired = fired | X; got = got & ~X }   /* S: AnyPromise+Kin.addKin: KinScope.locked */
     fi
  :: !got ->
     atomic {                                                     /* S: AnyPromise+Settling.drain: word.compareExchange */
       got = list; list = 0;
       if :: !got -> st = st | CLOSED; break :: else fi
     }
  od;
  if :: kept -> atomic { standIns = 0; kept = 0 } :: else fi      /* S: StandIn.deinit: leaveKin */
}

/* AnyPromise.publish, without the drain. `won`: this thread drains */
inline publishTakingLinks() {
  st = st | DONE;
  if
  :: st & PRUNING -> won = false
  :: else ->
     got = list; list = 0; won = (got != 0);
     if :: !got -> st = st | CLOSED :: else fi
  fi
}

inline standInBelowS() { atomic { standIns++; mine++ } }          /* S: StandIn.init: source.addKin */
/* StandIn.end. All that are in the list go with the last */
inline standInsEnd() {
  if
  :: mine ->
     atomic {                                                     /* S: AnyPromise+Attaching.push: word.compareExchange */
       if
       :: st & CLOSED -> standIns = (standIns < mine -> 0 : standIns - mine)
#ifndef BROKEN_STAND_IN_NOT_HANDED_OVER
       :: else -> list = list | SI
#else
       :: else -> standIns = standIns - mine
#endif
       fi;
       mine = 0
     }
  :: else
  fi
}
inline leaveLink() { atomic { linked = false; producer = false } }   /* S: AnyPromise+Kin.leaveKin: KinScope.locked */
inline stay() {
#ifndef BROKEN_NOT_STAYED
  atomic { stays = true }                                         /* S: Above.stay: KinScope.locked */
#else
  skip
#endif
}

/* Cancellation of T: claimed by the caller. `isBelow`: it is named, or below, and so is what is in its list */
inline cancelT(isBelow) {
  if
#ifndef BROKEN_GIVEN_UP_NOT_STAYED
  :: above && !(isBelow) -> stay()
#endif
#if !defined(BROKEN_NO_STAND_IN) && !defined(BROKEN_CANCEL_WITHOUT_STAND_IN)
#ifdef BROKEN_STAND_IN_ONLY_WITH_LINKS
  :: above && (isBelow) -> stay(); if :: list || (st & PRUNING) -> standInBelowS() :: else fi
#else
  :: above && (isBelow) -> stay(); standInBelowS()
#endif
#else
  :: above && (isBelow) -> stay()
#endif
  :: else
  fi;
  leaveLink();
  if
#ifdef BROKEN_GIVEN_UP_LEAVES_REQUEST
  :: !(isBelow) && (st & PRUNING) -> atomic { list = list | REQ; xAfter = false }
#endif
  :: (isBelow) && (st & PRUNING) -> atomic { list = list | REQ; xAfter = false; requested = true }   /* S: AnyPromise+Attaching.push: word.compareExchange */
  :: else
  fi;
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingLinks: word.compareExchange */
    publishTakingLinks();
    /* What is in the list is claimed by the same call. */
    if :: won && (isBelow) -> cancelled = cancelled | (got & (B | X)) :: else fi
  }
  if :: won -> drain() :: else fi;
  standInsEnd()
}

proctype Leaver() {
  LOCALS;
  if
  :: way == dropped ->
#ifndef BROKEN_NO_STAND_IN
     standInBelowS();
#endif
     stay();
     producer = false;                                            /* S: Link.leaveUnended: producer.retire */
     leaveLink();
     atomic { won = !(st & CLAIMED); st = st | CLAIMED }          /* S: LostPromises.settle: promise.claim */
  :: way == timesOut ->
#if !defined(BROKEN_NO_STAND_IN) && !defined(BROKEN_STAND_IN_AFTER_CLAIM)
     above = producer;
     if :: above -> standInBelowS() :: else fi;
#else
     above = producer;
#endif
     atomic { won = !(st & CLAIMED); st = st | CLAIMED }          /* S: AnyPromise+Leaving.rejectFromBeside: self.claim(claim) */
     if
     :: won ->
#ifdef BROKEN_STAND_IN_AFTER_CLAIM
        standInBelowS();
#endif
        stay();
        leaveLink()
     :: else
     fi
  :: way == isCancelled ->
     above = producer;                                            /* Cancellation.visit: settledUpstream */
     atomic { won = !(st & CLAIMED); st = st | CLAIMED }          /* S: Cancellation.visit: claim(.cancelling) */
     if :: won -> cancelT(true) :: else fi;
     won = false
  :: way == isGivenUp ->
     above = producer;                                            /* Cancellation.visit: settledUpstream */
     /* Before the claim, unlike for what is named: what is attached after that is not cancelled by this call. */
#ifndef BROKEN_GIVEN_UP_STAND_IN_AFTER_CLAIM
#ifndef BROKEN_GIVEN_UP_WITHOUT_STAND_IN
     if :: above -> standInBelowS() :: else fi;
#endif
#endif
#ifdef BROKEN_TWO_STEPS
     won = !counted;
     if :: won -> atomic { won = !(st & CLAIMED); if :: won -> st = st | CLAIMED; assert(!counted) :: else fi } :: else fi;
#else
     atomic { won = !(st & CLAIMED) && !counted; if :: won -> st = st | CLAIMED :: else fi }   /* S: AnyPromise+Detaching.giveUp: word.compareExchange */
#endif
#ifdef BROKEN_GIVEN_UP_STAND_IN_AFTER_CLAIM
     if :: won && above -> standInBelowS() :: else fi;
#endif
     if :: won -> cancelT(false) :: else fi;
     won = false
  fi;
  if
  :: won ->
     atomic { publishTakingLinks() }                              /* S: AnyPromise+Settling.publishTakingLinks: word.compareExchange */
#ifdef BROKEN_STAND_IN_ENDS_EARLY
     atomic { standIns = standIns - mine; mine = 0 }
#endif
     if :: won -> drain() :: else fi
  :: else
  fi;
  standInsEnd()
}

/* The handler of L has run, unless that was dropped: it settles T, or finds it claimed.  Link.end */
proctype Ender() {
  LOCALS;
  if
  :: way != dropped ->
     atomic { won = !(st & CLAIMED); st = st | CLAIMED }          /* S: AnyPromise+Settling.claim: word.compareExchange */
     if
     :: won ->
        atomic { stays = true }                                   /* S: AnyPromise+Kin.bequeath: KinScope.locked */
        atomic { publishTakingLinks() }                           /* S: AnyPromise+Settling.publishTakingLinks: word.compareExchange */
        if :: won -> drain() :: else fi
#ifndef BROKEN_LINK_LEAVES_PRUNED
        if :: !(st & CLOSED) -> standInBelowS(); standInsEnd() :: else fi   /* AnyPromise+Settling.publishTarget */
#endif
     :: else
     fi;
     leaveLink()
  :: true
  fi
}

/* AnyPromise.prune */
proctype Pruner() {
  LOCALS;
  atomic {                                                        /* S: AnyPromise+Detaching.withBorrowedLinks: word.compareExchange */
    if :: !(st & CLAIMED) && (list || way == isGivenUp) -> got = list; list = 0; st = st | PRUNING; won = true :: true fi
  }
  if
  :: won ->
     atomic {                                                     /* S: AnyPromise+Detaching.returnLinks: word.compareExchange */
       st = st & ~PRUNING;
       if :: st & DONE -> skip :: else -> list = list | got; got = 0; won = false fi
     }
     if :: won -> drain() :: else fi
  :: else
  fi
}

proctype Canceller(bool attaches) {
  LOCALS; byte found; bool t, sawT;
  if
  :: attaches ->
     atomic {                                                     /* S: AnyPromise+Attaching.push: word.compareExchange */
       attached = true; counted = !(st & CLAIMED);
       if :: st & CLOSED -> fired = fired | X :: else -> xAfter = ((list & REQ) != 0); list = list | X fi
     }
  :: else
  fi;
  /* Cancellation.claim: looks below S until there is nothing new. */
  do
  :: atomic {                                                     /* S: AnyPromise+Kin.activeTargets: KinScope.locked */
       t = FINDS_T && !sawT; found = BELOW_T & ~cancelled
     }
     if :: !t && !found -> break :: else fi;
     atomic { cancelled = cancelled | found }                     /* S: Cancellation.visit: claim(.cancelling) */
     if
     :: t ->
        sawT = true;
        above = producer;                                         /* Cancellation.visit: settledUpstream */
        atomic { won = !(st & CLAIMED); st = st | CLAIMED }       /* S: Cancellation.visit: claim(.cancelling) */
        if
        :: won -> cancelT(true)
        :: else ->
           atomic {                                               /* S: AnyPromise+Attaching.push: word.compareExchange */
             if
             :: st & CLOSED -> won = true
             :: else -> list = list | REQ; xAfter = false; requested = true
             fi
           }
           if
           :: won -> atomic { cancelled = cancelled | fired }     /* S: AnyPromise+Kin.activeTargets: KinScope.locked */
           :: else
           fi
        fi;
        won = false
     :: else
     fi
  od
}

init {
  atomic {
    list = B;
    if :: way = isGivenUp; list = 0; cancelled = B :: way = timesOut :: way = dropped :: way = isCancelled; if :: list = 0; cancelled = B :: true fi fi;
    run Leaver(); run Canceller(true);
    if :: run Ender(); run Pruner() :: run Ender(); run Canceller(false) :: run Pruner(); run Canceller(false) fi
  }
  (_nr_pr == 1);
  d_step {
    assert(!(st & CLAIMED) || (st & CLOSED));
    assert(!standIns && !(list & (REQ | SI)));
    assert((cancelled & B) && (!attached || (cancelled & X)))
  }
}
