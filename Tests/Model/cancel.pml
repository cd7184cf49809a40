/* Cancelling a tree: R ─▶ S ─▶ V ─▶ Y,  S ─▶ X ─▶ Z,  S ─▶ N.  R is settled and held by the user; the handler of S is about to
   run.  V only passes on what S becomes; X, Y, Z and N have handlers; of these only the one of X may get its turn.
   Four processes: `Settler` runs the handler of S, and so settles S and V; `Runner` that of X; `Canceller` cancels R or
   S, and in a shorter tree there are two of them, or Y with what is above it, so that V and S are given up; `Attacher` attaches N to S.
   Sequentially consistent.

   A reaction is named by its target.  The family tree is a set here: a reaction that was fired, or that passes an outcome on, stands in it until it
   leaves, and is found from all settled promises above; `family` has the tree.  Loops of compareExchange over a pure function of the word are
   one step.  A `Cancellation`, also one that is carried out for another thread, is the part of `work`
   that empties `found`.

   Broken variants: BROKEN_PASSED_UNLISTED, BROKEN_REQUEST_FOR_ALL, BROKEN_CLOSE_BY_STORE, BROKEN_CLAIM_WITHOUT_DETACH,
   BROKEN_LEAVE_BEFORE_PUBLISHING,
   BROKEN_TWO_STEPS, BROKEN_GIVEN_UP_TAKES_TARGETS, BROKEN_REQUEST_WHEN_GIVEN_UP, BROKEN_STOPS_EARLY. */

#define R 0
#define S 1
#define V 2
#define X 3
#define Y 4
#define Z 5
#define N 6
#define REQ 128                       /* a CancelRequest in a list */
#define BIT(p) (1 << (p))
#define ALL (BIT(S) | BIT(V) | BIT(X) | BIT(Y) | BIT(Z) | BIT(N))

/* StateWord */
#define CLAIMED 1
#define DONE    2
#define CLOSED  4
#define CALLED  8

/* ReactionWord */
#define STARTED  1
#define DETACHED 2
#define FIRED    4

byte st[7], list[7], got[7], lw[7], took[7];
byte tree;                            /* the reactions that stand in the tree */
bool nAfter, gotNAfter;               /* N came after the request */
bool nLate;                           /* N was attached when it must be spared */
bool xScheduled, returned;
byte there;                           /* the promises that there are from the beginning */
bool heldS;                           /* by the user */
byte count[3];                        /* consumers of S and V */
bool ofR;                             /* R is cancelled, and S stays below it */
bool goesUp;                          /* Y is cancelled, with what is above it: N is below nothing that is named */

#define SOURCE(l) (l <= S -> R : (l == Y -> V : (l == Z -> X : S)))

#define LOCALS byte found, giving, settled, visited, toFire, passed, cur, p, l; bool won, again, isPassed

/* AnyPromise.promisesBelow, inside atomic: into `found` what `except` does not have */
#define STANDS_BELOW(k, q) ((tree & BIT(k)) && (SOURCE(k) == q || SOURCE(SOURCE(k)) == q || SOURCE(SOURCE(SOURCE(k))) == q))
inline promisesBelow(q, except) {
  l0 = S;
  do
  :: l0 <= N -> if :: STANDS_BELOW(l0, q) -> found = found | (BIT(l0) & ~(except)) :: else fi; l0++
  :: else -> break
  od; l0 = 0
}

hidden byte l0;

inline lowest(mask, q) {
  q = 0;
  do :: !((mask) & BIT(q)) -> q++ :: else -> break od
}
#define FORGET() p = 0; won = 0

/* Reaction.endWithoutSettling and the release of the reaction */
inline endLink(k) { atomic { tree = tree & ~BIT(k) } }   /* S: Reaction+Family.leaveFamily: stripe.locked */

/* Everything that a process has to do: Cancellation.claim and fire, AnyPromise.drain, Settlement.complete. */
inline work() {
  do
  :: found ->
     /* Cancellation.visit */
     atomic {                                                     /* S: Cancellation.visit: claim(.cancelling) */
       lowest(found, p); found = found & ~BIT(p); visited = visited | BIT(p); again = true;
       won = !(st[p] & CLAIMED);
       if
       :: won -> st[p] = st[p] | CLAIMED | CALLED; assert(p != N || !nLate && !goesUp)   /* attached later: spared */
       :: else
       fi
     }
     if
     :: won ->
#ifndef BROKEN_CLAIM_WITHOUT_DETACH
        atomic { if :: !(lw[p] & (STARTED | DETACHED)) -> took[p]++ :: else fi; lw[p] = lw[p] | DETACHED }   /* S: Leaving.drop: detach */
#endif
        atomic {                                                  /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
          assert(!(st[p] & DONE));
          got[p] = list[p]; list[p] = 0; st[p] = st[p] | DONE;
          if :: p == S -> gotNAfter = nAfter; nAfter = 0 :: else fi;
          if :: got[p] -> toFire = toFire | BIT(p); found = found | (got[p] & ALL) :: else -> st[p] = st[p] | CLOSED fi;
          /* Only then is taken off what it counted as: Y, which is named, gives up, and what is below leaves what is claimed. */
          if :: p == Y && goesUp -> giving = giving | BIT(V) :: else fi;
#ifdef BROKEN_TWO_STEPS
          giving = 0; if :: p == Y && goesUp && !(st[V] & CLAIMED) -> count[V]--; found = found | (count[V] -> 0 : BIT(V)) :: else fi;
          if :: p == V && !(st[S] & CLAIMED) -> count[S]--; found = found | (count[S] -> 0 : BIT(S)) :: else fi;
#endif
          FORGET()
        }
     :: else ->
        if
        :: st[p] & CLOSED ->                                      /* S: Cancellation.visit: isClosed */
           atomic { settled = settled | BIT(p); promisesBelow(p, 0); FORGET() }   /* S: FamilyWalk.promisesBelow: walkNextPiece */
        :: else ->
           /* request(of:) */
           atomic {                                               /* S: AnyPromise+Attaching.push: word.compareExchange */
             if
             :: st[p] & CLOSED -> found = found | BIT(p)
             :: else ->
                list[p] = list[p] | REQ; if :: p == S -> nAfter = 0 :: else fi
             fi;
             FORGET()
           }
        fi
     fi
  :: giving ->
     /* Cancellation.visit of what is to be given up.  Whose last consumer that was is claimed in the same step. */
     atomic {                                                     /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
       lowest(giving, p); giving = giving & ~BIT(p);
       won = !(st[p] & CLAIMED) && count[p] == 1;
       if
       :: won -> st[p] = st[p] | CLAIMED | CALLED
       :: !won && !(st[p] & CLAIMED) -> count[p]--
       :: else
       fi
     }
     if
     :: won ->
        atomic { if :: !(lw[p] & (STARTED | DETACHED)) -> took[p]++ :: else fi; lw[p] = lw[p] | DETACHED }   /* S: Leaving.drop: detach */
        atomic {                                                  /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
          got[p] = list[p]; list[p] = 0; st[p] = st[p] | DONE;
          if :: p == S -> gotNAfter = nAfter; nAfter = 0 :: else fi;
          if :: got[p] -> toFire = toFire | BIT(p) :: else -> st[p] = st[p] | CLOSED fi;
#ifdef BROKEN_GIVEN_UP_TAKES_TARGETS
          found = found | (got[p] & ALL);
#endif
#ifndef BROKEN_STOPS_EARLY
          if :: p == V -> giving = giving | BIT(S) :: else fi;
#endif
          FORGET()
        }
#ifdef BROKEN_REQUEST_WHEN_GIVEN_UP
     :: !won && (st[p] & CLAIMED) ->
        atomic { if :: !(st[p] & CLOSED) -> list[p] = list[p] | REQ; if :: p == S -> nAfter = 0 :: else fi :: else fi; FORGET() }
     :: !won && !(st[p] & CLAIMED) -> atomic { FORGET() }
#else
     :: else -> atomic { FORGET() }                               /* settled, or another wants it: nothing is left there */
#endif
     fi
  :: !found && !giving && again ->
     /* Looks once more below what was settled: something may have become active there after the first look. */
     d_step { again = false; l = R }
     do
     :: l <= X -> if :: settled & BIT(l) -> atomic { promisesBelow(l, visited) } :: else fi; l++   /* S: FamilyWalk.promisesBelow: walkNextPiece */
     :: else -> break
     od;
     l = 0;
     atomic { if :: !found -> settled = 0; visited = 0 :: else fi }
  :: !found && !giving && !again && cur && (got[cur] & REQ) ->
     /* Settlement.carryOutRequests, before anything of the list is fired; carryOut */
     atomic {
       got[cur] = got[cur] & ~REQ;
#ifdef BROKEN_REQUEST_FOR_ALL
       found = got[cur] & ALL;
#else
       found = got[cur] & ALL & ~(cur == S && gotNAfter -> BIT(N) : 0);
#endif
       if :: cur == S -> found = found | (passed & BIT(V)) :: else fi;
       promisesBelow(cur, 0);
       again = true
     }
  :: !found && !giving && !again && cur && got[cur] && !(got[cur] & REQ) ->
     if
     :: got[cur] != BIT(V) ->
        /* AnyPromise.activate */
        atomic { lowest(got[cur] & ~BIT(V), l); got[cur] = got[cur] & ~BIT(l); won = !(lw[l] & DETACHED); if :: won -> lw[l] = lw[l] | FIRED :: else fi }   /* S: Reaction.markFired: word.compareExchange */
        if
        :: won ->
           tree = tree | BIT(l);                                  /* S: AnyPromise+Family.place: node.insert */
           if :: l == X -> xScheduled = true :: else fi           /* S: AnyPromise+Settling.fire: context.schedule */
        :: else
        fi
     :: got[cur] & BIT(V) ->
        /* Reaction.pass */
        atomic {                                                  /* S: Reaction+Settling.winPassing: start() */
          l = V; got[cur] = got[cur] & ~BIT(V);
          won = !(lw[V] & (STARTED | DETACHED));
          if :: won -> took[V]++ :: else fi;
          lw[V] = lw[V] | STARTED | FIRED
        }
        if
        :: won ->
           atomic { won = !(st[V] & CLAIMED); st[V] = st[V] | CLAIMED }   /* S: AnyPromise+Settling.claim: word.compareExchange */
           if
           :: won ->
#ifndef BROKEN_PASSED_UNLISTED
              tree = tree | BIT(V);                               /* S: AnyPromise+Family.place: node.insert */
#endif
              passed = passed | BIT(V)
           :: else -> endLink(V)
           fi
        :: else
        fi
     fi;
     d_step { l = 0; won = 0 }
  :: !found && !giving && !again && cur && !got[cur] ->
     atomic {                                                     /* S: AnyPromise+Settling.drain: word.compareExchange */
#ifdef BROKEN_CLOSE_BY_STORE
       st[cur] = st[cur] | CLOSED; list[cur] = 0;
#else
       if
       :: list[cur] -> got[cur] = list[cur]; list[cur] = 0; if :: cur == S -> gotNAfter = nAfter; nAfter = 0 :: else fi
       :: else -> st[cur] = st[cur] | CLOSED
       fi;
#endif
       won = !(st[cur] & CLOSED)
     }
     if
     :: won
     :: !won && isPassed ->
#ifndef BROKEN_LEAVE_BEFORE_PUBLISHING
        endLink(cur);
#endif
        cur = 0
     :: else -> cur = 0
     fi;
     won = 0
  :: !found && !giving && !again && !cur && passed ->
     /* Reaction.publishTarget(during:) */
     atomic { lowest(passed, l); passed = passed & ~BIT(l) }
#ifdef BROKEN_LEAVE_BEFORE_PUBLISHING
     endLink(l);
#endif
     atomic {                                                     /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
       assert(!(st[l] & DONE) && (st[l] & CLAIMED));
       got[l] = list[l]; list[l] = 0; st[l] = st[l] | DONE;
       if :: l == S -> gotNAfter = nAfter; nAfter = 0 :: else fi;
       if :: !got[l] -> st[l] = st[l] | CLOSED :: else fi;
       won = (got[l] != 0)
     }
     if
     :: won -> cur = l; isPassed = true
#ifndef BROKEN_LEAVE_BEFORE_PUBLISHING
     :: else -> endLink(l)
#else
     :: else
#endif
     fi;
     d_step { l = 0; won = 0 }
  :: !found && !giving && !again && !cur && !passed && toFire ->
     /* Cancellation.fire */
     d_step { lowest(toFire, cur); toFire = toFire & ~BIT(cur); isPassed = false }
  :: else -> break
  od;
  isPassed = 0
}

/* Job.run and Reaction.run of the reaction to k, whose handler returns a value */
inline runLink(k) {
  atomic {                                                        /* S: Reaction.start: word.bitwiseOr */
    won = !(lw[k] & (STARTED | DETACHED));
    if :: won -> took[k]++ :: else fi;
    lw[k] = lw[k] | STARTED
  }
  if
  :: won ->
     atomic { won = !(st[k] & CLAIMED); st[k] = st[k] | CLAIMED }   /* S: AnyPromise+Settling.claim: word.compareExchange */
     if
     :: won ->
        passed = BIT(k); won = 0;
        work()
     :: else -> endLink(k)
     fi
  :: else -> endLink(k)
  fi
}

init {
  atomic {
    count[S] = 1; count[V] = 1; lw[S] = FIRED; list[V] = BIT(Y); list[X] = BIT(Z);
    st[R] = CLAIMED | DONE | CLOSED; tree = BIT(S);
    if
    :: heldS = true; list[S] = BIT(V); if :: goesUp = true :: true fi; there = BIT(S) | BIT(V) | BIT(Y); run Settler(); run Canceller(); run Attacher()
    :: list[S] = BIT(V); list[V] = 0; there = BIT(S) | BIT(V); run Settler(); run Canceller(); run Canceller()
    :: list[S] = BIT(V); if :: goesUp = true :: true fi; there = BIT(S) | BIT(V) | BIT(Y); run Settler(); run Canceller()
    :: list[S] = BIT(X); there = BIT(S) | BIT(X) | BIT(Z); run Settler(); run Canceller(); run Runner()
    fi
  }
  (_nr_pr == 1);
  d_step {
    /* Rule 4.3: all calls have returned, and everything that existed is settled. */
    assert(((st[S] & DONE) || goesUp && count[S] && (list[S] & BIT(N))) && (!(there & BIT(V)) || (st[V] & DONE)) && (!(there & BIT(Y)) || (st[Y] & DONE)));
    assert(!(there & BIT(X)) || (st[X] & DONE) && (st[Z] & DONE));
    /* Every settled promise is closed, and no request is left. */
    l0 = S;
    do
    :: l0 <= N ->
       assert(!(st[l0] & CLAIMED) || (st[l0] & CLOSED) || l0 == N);
       assert(!(there & BIT(l0)) || !(st[l0] & CLAIMED) || !list[l0] && !got[l0]);
       assert(took[l0] <= 1);
       /* Each handler was run or let go. */
       assert(took[l0] == 1 || !(there & BIT(l0)) || !(st[l0] & CLAIMED));
       l0++
    :: else -> break
    od
  }
}

proctype Settler() { LOCALS; if :: runLink(S) :: skip fi }

proctype Canceller() {
  LOCALS;
  if :: goesUp -> found = BIT(Y) :: !goesUp -> found = BIT(R); ofR = true :: !goesUp && heldS -> found = BIT(S) fi;
  again = true;
  work();
  returned = true
}

/* The context of X may run it, if it was given the job. */
proctype Runner() { LOCALS; if :: xScheduled -> runLink(X) :: skip fi }

/* AnyPromise.attach */
proctype Attacher() {
  LOCALS;
  atomic {                                                        /* S: AnyPromise+Attaching.push: word.compareExchange */
    won = !(st[S] & CLOSED);
    /* Attached after a cancellation of S, or after the call has returned that left a request: to be spared.  Cancelled through
       a settled promise it may be, as long as the call has not returned. */
    nLate = ((st[S] & (DONE | CALLED)) == (DONE | CALLED) && !ofR) || returned;
    if :: won && !(st[S] & CLAIMED) -> count[S]++ :: else fi;
    if :: won -> list[S] = list[S] | BIT(N); nAfter = ((list[S] & REQ) != 0) :: else fi
  }
  if
  :: !won ->
     lw[N] = lw[N] | FIRED;
     tree = tree | BIT(N)
  :: else
  fi
}
