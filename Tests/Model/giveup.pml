/* Giving up (rule 4.4): W ─▶ P ─▶ A, and mostly P ─▶ B.  All are pending.  One thread cancels A, with or without what is above
   it; a second cancels B, P or W, or gives P up without ever having been its consumer; a third attaches N, which recovers from errors,
   to P or to W, at any time; the owner of W fulfils it, or never does.  Sequentially consistent.

   A word holds the state, the count of consumers and the list: what changes several of them is one compareExchange, and one step here.
   Handlers run at once, inside the call that settles.  Dead entries stay in the lists: `cell` prunes.

   The two-step form of the first edition is BROKEN_TWO_STEPS. There the count is taken off, and the promise is claimed later, as one that is below.

   Broken variants: BROKEN_TWO_STEPS, BROKEN_CLAIM_UNCHECKED, BROKEN_LEAVING_GIVES_UP, BROKEN_STOPS_EARLY,
   BROKEN_GIVEN_UP_TAKES_TARGETS, BROKEN_GIVES_UP_FIRST, BROKEN_REQUEST_WHEN_GIVEN_UP, BROKEN_UNCOUNTED_IS_COUNTED,
   BROKEN_ATTACH_COUNTS_LATER. */

#define W 0
#define P 1
#define A 2
#define B 3
#define N 4
#define REQ 32                        /* a CancelRequest in a list */
#define ALL 31
#define BIT(p) (1 << (p))
#define NONE 9

/* StateWord, but for the count and the list */
#define CLAIMED  1
#define DONE     2
#define CLOSED   4
#define CALLED   8                    /* cancelled by a call */
#define REJECTED 16

/* ReactionWord; a reaction is named by its target */
#define STARTED  1
#define DETACHED 2

byte st[5], count[5], list[5], got[5], lw[5];
byte above = P;                       /* the source of N */
bool attached, recovered;             /* N */
bool nAfter, gotNAfter;               /* N came after the request in the list of its source */

/* What really is. */
bool named[5];                        /* by a call; P and W only */
bool givenUp[5];                      /* claimed by who gave it up */
bool lastGaveUp[5];                   /* the last who went gave it up */
bool gives[5];                        /* has been cancelled, and gives up its source */
bool goesUp;                          /* a call that gives up was made */
byte stopped;                         /* how often W was cancelled */

#define SOURCE(k) (k == P -> W : (k == N -> above : P))
#define OPEN(p) (!(st[p] & CLAIMED))

#define LOCALS byte found, giving, uncounted, toFire, passed, cur, p, l, s; bool won, seen, upstream

inline lowest(mask, q) { q = 0; do :: !((mask) & BIT(q)) -> q++ :: else -> break od }

/* AnyPromise.removeConsumer: leaves, whether it is the last or not */
inline leave(q) {
  atomic {                                                        /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
    if :: OPEN(q) -> assert(count[q] > 0); count[q]--; lastGaveUp[q] = false :: else fi
  }
}

/* Claimed by this cancellation: Cancellation.giveUpUpstream.  The count of the source is taken off at once only where it is just left. */
inline giveUpUpstream(isGivingUp) {
  if
  :: p != W ->
     atomic { s = SOURCE(p); gives[p] = isGivingUp }
     seen = OPEN(s);                                              /* S: Leaving.take: source.acquiredState */
     lw[p] = lw[p] | DETACHED;                                    /* S: Reaction.detach: word.bitwiseOr */
     if
#ifdef BROKEN_GIVES_UP_FIRST
     :: seen && (isGivingUp) -> l = p; atomic { p = s; giveUp(0) } p = l; l = 0
#elif defined(BROKEN_TWO_STEPS)
     :: seen && (isGivingUp) ->
        atomic { if :: OPEN(s) -> count[s]--; if :: !count[s] -> found = found | BIT(s) :: else fi :: else fi }
#elif defined(BROKEN_CLAIM_UNCHECKED)
     :: seen && (isGivingUp) ->
        atomic { if :: OPEN(s) -> count[s]--; if :: !count[s] -> giving = giving | BIT(s) :: else fi :: else fi }
#elif defined(BROKEN_LEAVING_GIVES_UP)
     :: seen -> giving = giving | BIT(s)
#elif defined(BROKEN_STOPS_EARLY)
     :: seen && (isGivingUp) && !givenUp[p] -> giving = giving | BIT(s)
     :: seen && givenUp[p] -> leave(s)
#else
     :: seen && (isGivingUp) -> giving = giving | BIT(s)
#endif
#ifndef BROKEN_LEAVING_GIVES_UP
     :: seen && !(isGivingUp) -> leave(s)
#endif
     :: !seen
     fi;
     atomic { seen = false; s = 0 }
  :: else
  fi
}

/* StateWord.givenUp, of p: `won`, claimed as cancelled in the same step */
inline giveUp(isUncounted) {
  won = false;
  if
#ifdef BROKEN_CLAIM_UNCHECKED
  :: OPEN(p) && (!(isUncounted) || !count[p]) ->
#else
  :: OPEN(p) && count[p] <= ((isUncounted) -> 0 : 1) ->
#endif
     won = true; st[p] = st[p] | CLAIMED | REJECTED | CALLED; givenUp[p] = true;
     /* Nobody wants it, and whoever gave it up is settled. */
     assert(!(list[p] & BIT(A)) || (lw[A] & DETACHED) && (!gives[A] || (st[A] & DONE)));
     assert(!(list[p] & BIT(B)) || (lw[B] & DETACHED) && (!gives[B] || (st[B] & DONE)));
     assert(!(list[p] & BIT(N)));
     assert(!(list[p] & BIT(P)) || (lw[P] & DETACHED) && (!gives[P] || (st[P] & DONE)))
#ifdef BROKEN_UNCOUNTED_IS_COUNTED
  :: OPEN(p) && count[p] > 1 -> count[p]--
#else
  :: OPEN(p) && count[p] > 1 && !(isUncounted) -> count[p]--; lastGaveUp[p] = true
#endif
  :: else
  fi
}

/* Cancellation.claim and fire, AnyPromise.drain, Settlement.complete: what a call still has to do */
inline work() {
  do
  :: found ->
     /* Cancellation.visit of what is named, or below */
     atomic {                                                     /* S: Cancellation.visit: claim(.cancelling) */
       lowest(found, p); found = found & ~BIT(p);
       won = OPEN(p);
       if :: won -> st[p] = st[p] | CLAIMED | REJECTED | CALLED :: else fi
     }
     if
     :: won ->
        giveUpUpstream(upstream && (p == A || p == B || named[p]));
        publish(true)
     :: else ->
        atomic {                                                  /* S: AnyPromise+Attaching.push: word.compareExchange */
          if :: !(st[p] & CLOSED) -> list[p] = list[p] | REQ; if :: p == above -> nAfter = false :: else fi :: else fi; p = 0
        }
     fi
  :: giving ->
     /* Cancellation.visit of what is to be given up */
     atomic {                                                     /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
       lowest(giving, p); giving = giving & ~BIT(p);
       giveUp(uncounted & BIT(p)); uncounted = uncounted & ~BIT(p)
     }
     if
     :: won ->
        giveUpUpstream(true);
#ifdef BROKEN_GIVEN_UP_TAKES_TARGETS
        publish(true)
#else
        publish(false)
#endif
#ifdef BROKEN_REQUEST_WHEN_GIVEN_UP
     :: !won && !OPEN(p) && !(st[p] & CLOSED) ->
        atomic { if :: !(st[p] & CLOSED) -> list[p] = list[p] | REQ; if :: p == above -> nAfter = false :: else fi :: else fi; p = 0 }
     :: !won && (OPEN(p) || (st[p] & CLOSED)) -> p = 0
#else
     :: else -> p = 0
#endif
     fi
  :: !found && !giving && cur != NONE && (got[cur] & REQ) ->
     /* Settlement.carryOut */
     atomic {
       got[cur] = got[cur] & ~REQ;
       found = (got[cur] & ALL & ~((cur == above && gotNAfter) -> BIT(N) : 0)) | (cur == W -> passed : 0)
     }
  :: !found && !giving && cur != NONE && got[cur] && !(got[cur] & REQ) ->
     /* AnyPromise.fire: passes the outcome on, or has the handler of N run */
     atomic {                                                     /* S: Reaction+Settling.winPassing: start() */
       lowest(got[cur], l); got[cur] = got[cur] & ~BIT(l);
       won = !(lw[l] & (STARTED | DETACHED)); lw[l] = lw[l] | STARTED
     }
     if
     :: won ->
        atomic {                                                  /* S: AnyPromise+Settling.claim: word.compareExchange */
          won = OPEN(l);
          if
          :: won && l == N -> st[N] = st[N] | CLAIMED; recovered = ((st[cur] & REJECTED) != 0); passed = passed | BIT(N)
          :: won && l != N -> st[l] = st[l] | CLAIMED | (st[cur] & REJECTED); passed = passed | BIT(l)
          :: else
          fi
        }
     :: else
     fi;
     atomic { l = 0; won = false }
  :: !found && !giving && cur != NONE && !got[cur] ->
     atomic {                                                     /* S: AnyPromise+Settling.drain: word.compareExchange */
       if
       :: list[cur] -> take(cur)
       :: else -> st[cur] = st[cur] | CLOSED; cur = NONE
       fi
     }
  :: !found && !giving && cur == NONE && passed ->
     atomic { lowest(passed, p); passed = passed & ~BIT(p) }
     publish(false)
  :: !found && !giving && cur == NONE && !passed && toFire ->
     /* Cancellation.fire */
     atomic { lowest(toFire, cur); toFire = toFire & ~BIT(cur) }
  :: else -> break
  od
}

inline take(q) { got[q] = list[q]; list[q] = 0; if :: q == above -> gotNAfter = nAfter; nAfter = false :: else fi }

/* AnyPromise.publishTakingReactions of p; `takes`: what waits is below, and cancelled too */
inline publish(takes) {
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
    assert((st[p] & CLAIMED) && !(st[p] & DONE));
    st[p] = st[p] | DONE; take(p);
    if :: p == W && (st[W] & CALLED) -> stopped++ :: else fi;
    if
    :: got[p] -> toFire = toFire | BIT(p); if :: takes -> found = found | (got[p] & ALL) :: else fi
    :: else -> st[p] = st[p] | CLOSED
    fi;
    p = 0; won = false
  }
}

proctype CancelA() {
  LOCALS; cur = NONE;
  atomic { if :: upstream = true; goesUp = true :: true fi; found = BIT(A) }
  work()
}

proctype Rival() {
  LOCALS; cur = NONE;
  atomic {
    if
    :: list[P] & BIT(B) -> found = BIT(B); if :: upstream = true; goesUp = true :: true fi
    :: found = BIT(P); named[P] = true; if :: upstream = true; goesUp = true :: true fi
    :: found = BIT(W); named[W] = true
    :: giving = BIT(P); uncounted = BIT(P); goesUp = true
    :: true
    fi
  }
  work()
}

/* AnyPromise.attach */
proctype Attacher() {
  LOCALS; cur = NONE;
  atomic {                                                        /* S: AnyPromise+Attaching.push: word.compareExchange */
    attached = true;
    if
    :: st[above] & CLOSED -> got[above] = BIT(N); cur = above
    :: else ->
       nAfter = ((list[above] & REQ) != 0); list[above] = list[above] | BIT(N);
#ifndef BROKEN_ATTACH_COUNTS_LATER
       if :: OPEN(above) -> count[above]++; lastGaveUp[above] = false :: else fi
#endif
    fi
  }
#ifdef BROKEN_ATTACH_COUNTS_LATER
  atomic { if :: OPEN(above) -> count[above]++; lastGaveUp[above] = false :: else fi }
#endif
  /* Settled: this thread fires its own reaction, and closes nothing. */
  if
  :: cur != NONE ->
     got[cur] = 0; cur = NONE;
     lw[N] = STARTED; st[N] = CLAIMED | DONE | CLOSED; recovered = ((st[above] & REJECTED) != 0)
  :: else
  fi
}

/* Deferred.fulfill, or not */
proctype Owner() {
  LOCALS; cur = NONE;
  if
  :: atomic { won = OPEN(W); st[W] = st[W] | CLAIMED }            /* S: AnyPromise+Settling.claim: word.compareExchange */
     if :: won -> p = W; publish(false); work() :: else fi
  :: true
  fi
}

init {
  byte p;
  atomic {
    list[W] = BIT(P); count[W] = 1;
    if
    :: list[P] = BIT(A) | BIT(B); count[P] = 2
    :: list[P] = BIT(A); count[P] = 1; if :: above = W :: true fi
    fi;
    run CancelA(); run Rival(); run Attacher(); run Owner()
  }
  (_nr_pr == 1);
  d_step {
    p = W;
    do
    :: p <= N ->
       assert(OPEN(p) || (st[p] & CLOSED)); assert(OPEN(p) || !list[p] && !got[p]); assert(!(list[p] & REQ));
       /* What was given up last, and is pending all the same, does not exist. */
       assert(!OPEN(p) || count[p] || !lastGaveUp[p]);
       p++
    :: else -> break
    od;
    assert(!OPEN(A)); assert(OPEN(W) || !OPEN(P)); assert(OPEN(P) || !OPEN(A));
    /* The counts are true. */
    assert(!OPEN(W) || count[W] == OPEN(P) + (attached && above == W));
    assert(!OPEN(P) || count[P] == ((list[P] & BIT(B)) && OPEN(B)) + (attached && above == P));
    /* Case 50: either what N is attached to goes on, and N is a consumer, or N sees an ordinary rejection, or the value. */
    assert(!OPEN(above) || OPEN(N));
    assert(OPEN(above) || !OPEN(N));
    assert(!(st[N] & CALLED) || named[P] && above == P || named[W]);
    assert(!(givenUp[above] && !named[W] && !named[P]) || recovered);
    /* Leaving cancels nothing. */
    assert(goesUp || named[P] || named[W] || !(st[P] & CALLED) && !(st[W] & CALLED));
    assert(!givenUp[P] || !(st[P] & CALLED) || !OPEN(W) || count[W]);
    /* Case 51 */
    assert(stopped == ((st[W] & (DONE | CALLED)) == (DONE | CALLED)))
  }
}
