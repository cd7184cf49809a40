/* A combinator: one result made from three inputs.  Four processes: the client makes the combination, and then cancels the result,
   with or without its inputs, or lets go of it; two settle an input each, with a value or an error; another consumer of input 0 may
   leave it, or give it up.  Input 2 was settled before, or never is.  Sequentially consistent.

   `rule`: `all` with its three policies, `any` and `race`, with `cancelsLosers` or without, `allSettled`, and `both` of `traverse`, which has
   brought its inputs itself.  Inputs are given up, or only left, after the result has been published; until then they are counted (rules
   4.4 and 4.8).
   References to the combination and to the result are counted; the result's table and the combination keep each other until the
   result is published.
   What `cell.pml` and `cancel.pml` show is not repeated: a publication takes the one reaction there is and closes the promise in
   one step, and a cancellation that meets a settlement leaves no request.

   Broken variants: BROKEN_COUNT_BEFORE_RULE (as it was until the model was written), BROKEN_STORE_WITHOUT_LOOKING,
   BROKEN_TABLE_KEEPS, BROKEN_CLAIM_IGNORED, BROKEN_UNOWNED_BODIES, BROKEN_EXCUSES_NOBODY,
   BROKEN_LEAVES_NO_CONSUMER, BROKEN_LEAVE_KEEPS_OBSERVERS, BROKEN_LEAVE_LENT_CANCELS, BROKEN_LAST_OF_CLAIMED,
   BROKEN_LEAVING_GIVES_UP, BROKEN_CANCELS_SHARED, BROKEN_GIVES_UP_FIRST, BROKEN_LOSERS_ARE_LEFT,
   BROKEN_LATE_OBSERVERS_LEAVE, BROKEN_UNOBSERVED_FORGOTTEN,
   BROKEN_UNOBSERVED_ONLY_IF_OVER (as it was at 7fee0e8). */

mtype = { all, allCancel, allWait, any, race, allSettled, both };
mtype rule;

#define N 3
#define BIT(i) (1 << (i))

#define CLAIMED  1
#define DONE     2
#define REJECTED 4
#define CALLED   8                    /* cancelled by a call */

#define STARTED  1
#define DETACHED 2

byte st[N], result;                   /* StateWord: inputs, result */
byte count[N];                        /* consumers */
byte reaction[N];                         /* ReactionWord of the observer */
bool listed[N], body[N];              /* in the list of its input; its body is there: it keeps the combination */
bool examined[N], excused[N];
byte remaining = N, noted = N;        /* FirstFailure */
byte observers; bool hasEnded;          /* under the combination's lock */
bool table;                           /* the result's side table refers to the combination */
byte rcC, rcR; bool freedC, freedR;
bool losers;                          /* cancelsLosers */
bool decided, upstream, cancelledResult, otherLeft, otherGave;
bool lastGave[N];                     /* the last who went gave the input up */
byte published;

#define PENDING(i) (!(st[i] & DONE))
#define SETTLED(i, how) ((st[i] & (DONE | REJECTED)) == (DONE | (how)))
#define SOME(what) (what(0) || what(1) || what(2))
#define VALUE(i) SETTLED(i, 0)
#define ERROR(i) SETTLED(i, REJECTED)

#define LOCALS byte i, j, taken, mine, departing, fired, giving, uncounted; bool won, gives, publishes, counted, handlingInAdvance, keeps, pinned

inline retainC() { assert(!freedC); rcC++ }
/* The last reference lets the result go. */
inline releaseC() { assert(!freedC && rcC > 0); rcC--; if :: rcC == 0 -> assert(!table && !observers); freedC = true; releaseR() :: else fi }
inline releaseR() { assert(!freedR && rcR > 0); rcR--; if :: rcR == 0 -> freedR = true :: else fi }

/* The rule wants to settle the result: with values, all of which are read before, or with an error. */
inline claim(rejects, readsAll) {
  assert(!freedC && !freedR);
  assert(!(readsAll) || (st[0] & st[1] & st[2] & DONE) && (rule == allSettled || !SOME(ERROR)));
  won = !(result & CLAIMED);
  if :: won -> result = result | CLAIMED | ((rejects) -> REJECTED : 0); decided = true :: else fi;
  assert(!(won && rule == any && (rejects)) || !SOME(VALUE));
  assert(!(won && rule == both && !(rejects)) || !SOME(ERROR));
#ifdef BROKEN_CLAIM_IGNORED
  won = true
#endif
}

/* The rules: Promise+All.swift, Promise+First.swift, Promise+AllSettled.swift, `both` in Promise+Traverse.swift.  One step: what
   they look at does not change any more, but for the result's word. */
inline ask(isLast) {
  atomic {                                                        /* S: AnyPromise+Settling.claim: word.compareExchange */
    won = false;
    if
    :: rule == all || rule == allCancel || rule == allWait ->
       if :: ERROR(i) && rule == allWait && noted == N -> noted = i :: else fi;   /* S: FirstFailure.record: lock.locked */
       if
       :: ERROR(i) && rule != allWait -> claim(true, false)
       :: (!ERROR(i) || rule == allWait) && isLast && noted < N -> claim(true, false)   /* S: FirstFailure.input: lock.locked */
       :: (!ERROR(i) || rule == allWait) && isLast && noted == N -> claim(false, true)
       :: else
       fi
    :: rule == any ->
       if
       :: !ERROR(i) -> claim(false, false)
       :: ERROR(i) && isLast -> claim(true, false)
       :: else
       fi
    :: rule == race -> claim(ERROR(i), false)
    :: rule == allSettled -> if :: isLast -> claim(false, true) :: else fi
    :: rule == both ->
       if
       :: ERROR(i) -> claim(true, false)
       :: !ERROR(i) && isLast -> claim(false, false)
       :: else
       fi
    fi
  }
}

/* AnyPromise.removeConsumer: leaves, whether it is the last or not */
inline removeConsumer(k) {
  if :: !(st[k] & CLAIMED) -> assert(count[k] > 0); count[k]--; lastGave[k] = false :: else fi
}

/* AnyPromise.markHandledInAdvance */
inline markHandledInAdvance(k) { if :: st[k] & DONE -> examined[k] = true :: else -> excused[k] = true fi }

/* Combination.detachObservers(_:handlingInAdvance:): those in `mine`. They are detached; what they count as is taken off later. */
inline detachObservers() {
  if
  :: remaining == 0                                               /* S: Combination.detachObservers: remaining.load */
  :: else ->
     j = 0;
     do
     :: j < N ->
        if
        :: mine & BIT(j) ->
           atomic {                                               /* S: Reaction.detach: word.bitwiseOr */
             assert(!freedC); won = !(reaction[j] & (STARTED | DETACHED)); reaction[j] = reaction[j] | DETACHED;
             if
             :: won && body[j] ->                                 /* takeBody, and released */
                body[j] = false;
#ifndef BROKEN_UNOWNED_BODIES
                releaseC();
#endif
             :: else
             fi
           }
           if
           :: won ->
              atomic {
#ifndef BROKEN_LEAVES_NO_CONSUMER
                departing = departing | BIT(j);
#endif
#ifndef BROKEN_EXCUSES_NOBODY
                if :: handlingInAdvance -> markHandledInAdvance(j) :: else fi            /* S: Combination.markHandledInAdvance: acquiredState.isDone */
#endif
              }
           :: else
           fi
        :: else
        fi;
        j++
     :: else -> break
     od
  fi;
  atomic { j = 0; mine = 0; won = false }
}

/* Combination.end(handlingInAdvance:) */
inline leave() {
  departing = 0;
  atomic {                                                        /* S: Combination.end: lock.locked */
    assert(!freedC); hasEnded = true;
#ifndef BROKEN_LEAVE_KEEPS_OBSERVERS
    mine = observers;
#endif
    observers = 0
  }
  detachObservers();
}

/* Combination.inputSettled, for input i: called by its observer, which was won, or in its place if the input was settled before */
inline take() {
#ifdef BROKEN_COUNT_BEFORE_RULE
  atomic { assert(!freedC); remaining--; counted = (remaining == 0) }
  ask(counted);
#else
  ask(false); counted = false;
  if
  :: won
  :: else ->
     atomic { assert(!freedC && remaining > 0); remaining--; counted = (remaining == 0) }   /* S: Combination.inputSettled: remaining.subtract */
#ifdef BROKEN_LAST_OF_CLAIMED
     if :: counted -> ask(true) :: else fi
#else
     if :: counted && !(result & CLAIMED) -> ask(true) :: else fi   /* S: Combination.inputSettled: result.isUnclaimed */
#endif
  fi;
#endif
  if
  :: !won -> if :: counted -> handlingInAdvance = false; leave(); gives = false :: else fi
  :: won ->
     gives = ERROR(i) && (rule == allCancel || rule == both) || losers;   /* S: Combination.inputSettled: givesUpOthers.store */
     handlingInAdvance = true; leave();
     atomic { publishes = true; rcR++ }                           /* the verdict refers to the result */
  fi;
#ifdef BROKEN_LEAVING_GIVES_UP
  gives = true;
#endif
#ifdef BROKEN_LOSERS_ARE_LEFT
  gives = gives && !losers;
#endif
#ifdef BROKEN_GIVES_UP_FIRST
  if :: gives -> giving = departing; departing = 0; giveUpAll() :: else fi;
#endif
  depart();
  atomic { won = false; counted = false; gives = false; handlingInAdvance = false }
}

/* Departure.leave for each, or else they are given up when the result is published */
inline depart() {
  if
  :: gives -> atomic { giving = giving | departing; departing = 0 }
  :: else ->
     do
     :: departing ->
        atomic {                                                  /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
          j = 0; do :: !(departing & BIT(j)) -> j++ :: else -> break od; departing = departing & ~BIT(j);
          removeConsumer(j); j = 0
        }
     :: else -> break
     od
  fi
}

/* What a call still has to do: reactions to fire, inputs to cancel, and the result to publish.  Settlement, Cancellation. */
inline work() {
  do
  :: giving && !publishes -> giveUpAll()
  :: publishes ->
     atomic {                                                     /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
       assert(!freedR && (result & CLAIMED) && !(result & DONE)); result = result | DONE; published++
     }
#ifndef BROKEN_TABLE_KEEPS
     atomic { assert(!freedR); if :: table -> table = false; releaseC() :: else fi }   /* S: DueHooks.takeHooks: table.locked */
#endif
     atomic {
       publishes = false; releaseR()
     }
  :: !giving && !publishes && fired ->
     d_step { i = 0; do :: !(fired & BIT(i)) -> i++ :: else -> break od; fired = fired & ~BIT(i) }
     atomic {                                                     /* S: Reaction.start: word.bitwiseOr */
       keeps = !(reaction[i] & (STARTED | DETACHED)); reaction[i] = reaction[i] | STARTED;
       if :: keeps -> assert(body[i] && !freedC); body[i] = false; examined[i] = true :: else fi   /* S: Combination.inputSettled: input.markDutyPassed */
     }
     if
     :: keeps -> take();
#ifndef BROKEN_UNOWNED_BODIES
        atomic { releaseC() }                                     /* the body is released */
#endif
     :: else
     fi;
     keeps = false
  :: else -> break
  od;
  i = 0
}

/* Cancellation.visit of each input that is given up: the last claims it, in the same step, which here publishes it too */
inline giveUpAll() {
  do
  :: giving ->
     atomic {                                                     /* S: AnyPromise+Consumers.giveUp: word.compareExchange */
       j = 0; do :: !(giving & BIT(j)) -> j++ :: else -> break od; giving = giving & ~BIT(j);
       giveUp(j); uncounted = uncounted & ~BIT(j); j = 0
     }
  :: else -> break
  od
}
inline giveUp(k0) {
  if
#ifdef BROKEN_CANCELS_SHARED
  :: !(st[k0] & CLAIMED) ->
#else
  :: !(st[k0] & CLAIMED) && count[k0] == (uncounted & BIT(k0) -> 0 : 1) ->
#endif
     assert(k0 != 0 || otherLeft || otherGave || !count[k0]);
     assert(!cancelledResult && !decided || (result & DONE) || k0 == 0 && otherGave);   /* settled first (rule 4.4) */
     st[k0] = CLAIMED | DONE | REJECTED | CALLED;
     if :: listed[k0] -> listed[k0] = false; fired = fired | BIT(k0) :: else fi
  :: !(st[k0] & CLAIMED) && count[k0] > 1 && !(uncounted & BIT(k0)) -> count[k0]--; lastGave[k0] = true
  :: else
  fi
}

/* Claims, writes and publishes input i: here one step; `fired` gets its observer */
inline settle(how) {
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
    if
    :: !(st[i] & CLAIMED) ->
       st[i] = CLAIMED | DONE | (how);
       if :: listed[i] -> listed[i] = false; fired = fired | BIT(i) :: else fi
    :: else
    fi
  }
}

/* Cancellation.visit of the result, giveUpUpstream */
inline cancel() {
  atomic { won = !(result & CLAIMED); if :: won -> result = result | CLAIMED | REJECTED | CALLED; cancelledResult = true :: else fi }   /* S: Cancellation.visit: claim(.cancelling) */
  if
  :: won ->
     atomic { pinned = table; if :: table -> retainC() :: else fi }   /* S: Combination.combination: locked */
     if
     :: pinned -> handlingInAdvance = false; leave(); atomic { releaseC() }
     :: else
     fi;
     /* Cancellation.giveUpUpstream: what it has brought itself it gives up in any case */
#ifdef BROKEN_LEAVE_LENT_CANCELS
     gives = true;
#else
     gives = upstream || rule == both;
#endif
     depart();
     atomic { gives = false; rcR++; publishes = true; won = false; pinned = false }
     work()                                                       /* publishes: Cancellation.visit; then goes on with the inputs */
  :: else
  fi
}

/* Combination.make and observe; then what becomes of the result */
proctype Client(bool calls) {
  LOCALS; byte attached;
  d_step { table = true; rcC = 2; rcR = 2 }                       /* table, and `combination`; combination, and `result` */
  do
  :: attached < N && !(result & CLAIMED) ->                       /* S: AnyPromise.isUnclaimed: relaxedState */
     i = attached;
     if
     :: atomic { st[i] & DONE -> examined[i] = true };            /* S: Combination.observe: acquiredState.isClosed */
        take()
     :: atomic { !(st[i] & DONE) -> skip };
        atomic {                                                  /* S: AnyPromise+Attaching.push: word.compareExchange */
#ifndef BROKEN_UNOWNED_BODIES
          retainC();
#endif
          body[i] = true; taken = taken | BIT(i);
          if
          :: st[i] & DONE -> fired = BIT(i)
          :: else -> listed[i] = true; if :: !(st[i] & CLAIMED) -> count[i]++ :: else fi
          fi
        }
     fi;
     work();
     attached++
  :: else -> break
  od;
  uncounted = 7 & ~((1 << attached) - 1);
  atomic { do :: attached < N -> markHandledInAdvance(attached); attached++ :: else -> break od }   /* S: Combination.markHandledInAdvance: acquiredState.isDone */
  atomic {                                                        /* S: Combination.observe: lock.locked */
    assert(!freedC);
#ifdef BROKEN_STORE_WITHOUT_LOOKING
    observers = taken; won = false
#else
    if :: !hasEnded -> observers = taken :: else fi;
    won = hasEnded
#endif
  }
#ifdef BROKEN_UNOBSERVED_ONLY_IF_OVER
  if :: !won -> uncounted = 0 :: else fi;
#endif
  if :: won -> mine = taken; handlingInAdvance = true; detachObservers() :: else fi;
  gives = (result & CLAIMED) && ((rule == allCancel || rule == both) && (result & REJECTED) || losers);   /* S: Combination.endMeanwhile: givesUpOthers.load */
#ifdef BROKEN_LOSERS_ARE_LEFT
  gives = gives && !losers;
#endif
  /* Whoever decided may not have published the result yet: Departure.giveUpWithThis */
  if :: gives && (departing || uncounted) -> (result & DONE) :: else fi;
#ifdef BROKEN_LATE_OBSERVERS_LEAVE
  if :: departing -> gives = false :: else fi;
#endif
#ifndef BROKEN_UNOBSERVED_FORGOTTEN
  if :: gives -> giving = uncounted :: else uncounted = 0 fi;      /* never observed, so never counted */
#else
  uncounted = 0;
#endif
  depart(); work();
  atomic { releaseC(); taken = 0; gives = false; handlingInAdvance = false; won = false }
  if :: calls -> cancel() :: else fi;                             /* else nobody cares */
  atomic { releaseR() }
}

proctype Settler(byte me) {
  LOCALS;
  byte how;
  if :: how = 0 :: how = REJECTED :: me == 0 -> how = CALLED fi;  /* CALLED: never */
  if :: how != CALLED -> i = me; settle(how); work() :: else fi
}

/* Somebody else who waits for input 0 leaves, or gives it up. */
proctype Other() {
  LOCALS;
  if
  :: atomic { otherLeft = true; removeConsumer(0) }                 /* S: AnyPromise+Consumers.removeConsumer: word.compareExchange */
  :: otherGave = true; giving = BIT(0); work()
  fi
}

init {
  byte i;
  atomic {
#ifdef RULE
    rule = RULE;
#else
    if :: rule = all :: rule = allCancel :: rule = allWait :: rule = any :: rule = race :: rule = allSettled :: rule = both fi;
#endif
    if
    :: rule != any -> st[2] = CLAIMED | DONE
    :: rule == any || rule == allWait -> st[2] = CLAIMED | DONE | REJECTED
    :: skip
    fi;
    count[0] = 1;
    if :: rule == any -> losers = true :: true fi;   /* race is no different */
    if
    :: run Client(false)
    :: run Client(true)
    :: upstream = true; run Client(true)
    :: rule == race && !st[2] -> upstream = true; run Client(true); run Other()
    :: rule == allCancel && st[2] -> run Client(true); run Other()
    fi;
    run Settler(0); run Settler(1)
  }
  (_nr_pr == 1);
  d_step {
    /* Nothing is lost: the result is pending only if it has to be. */
    assert(result & DONE || !(result & CLAIMED) && !decided && SOME(PENDING) && rule != race);
    assert(result & DONE || !(SOME(ERROR) && (rule == all || rule == allCancel || rule == both)) && !(SOME(VALUE) && rule == any));
    assert(published == ((result & DONE) != 0));
    /* Then nothing is kept; else it is all there. */
    assert(freedC == ((result & DONE) != 0) && freedR == freedC && (freedC || table));
    i = 0;
    do
    :: i < N ->
       assert(!body[i] || listed[i] && PENDING(i) && !(result & DONE));
       /* The count of consumers is true. */
       assert(!PENDING(i) || count[i] == (i == 0 && !otherLeft && !otherGave) + body[i]);
       /* Inputs are lent (rule 4.8): only who gives them up cancels them, and only if nobody else wants them. */
       assert(!(st[i] & CALLED) || upstream || losers || rule == allCancel || rule == both || i == 0 && otherGave);
       assert(!(st[0] & CALLED) || otherLeft || otherGave);
       /* What is given up by the last is cancelled. */
       assert(!PENDING(i) || count[i] > 0 || !lastGave[i]);
       assert(!(cancelledResult && (upstream || rule == both)) || !PENDING(i) || count[i] > 0 || i == 0 && otherLeft);
       assert(!(decided && (losers || (result & REJECTED) && (rule == allCancel || rule == both))) ||
         !PENDING(i) || count[i] > 0 || i == 0 && otherLeft);
       /* Somebody has looked at the error, or nobody need (rule 7.1). */
       assert(!decided || examined[i] || excused[i]);
       i++
    :: else -> break
    od
  }
}
