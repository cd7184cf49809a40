/* A combinator with three inputs and one result. There are four processes. The client makes the combination, and then
   cancels the result, with or without its inputs, or releases it. Two processes each settle an input, with a value or
   an error. Another consumer of input 0 may leave it, or give it up. Input 2 was settled before, or is never settled. A
   section under one lock is one step. Sequentially consistent.

   `rule` is `all` with its three policies, `any`, `some` of two inputs or `race`, with `cancelsLosers` or without,
   `allSettled`, or `both` of `traverse`, which owns its inputs. Inputs are given up, or only left, after the result is
   settled. Until then they are counted (rules 4.4 and 4.8). An input is closed when it is settled (`settle.pml` models
   late entries), and references are not counted.

   The thread that settles the result ends the combination afterwards. BROKEN_ENDED_FIRST: a thread ends the combination
   before it settles the result. If the result is cancelled with its inputs in between, no thread gives up the remaining
   inputs. */

mtype = { all, allCancel, allWait, any, some, race, allSettled, both };
mtype rule;

#define N 3
#define NEEDED 2                      /* by `some` */
#define BIT(i) (1 << (i))

#define DONE     1
#define REJECTED 2
#define CALLED   4                    /* cancelled by a call */

#define NO_OBSERVER 0
#define WAITING     1
#define ENDED       2

byte st[N], result;
byte count[N];                        /* consumers of each input */
byte observer[N];                     /* the stage of its observer */
bool listed[N];
bool examined[N], excused[N];
byte remaining = N, noted = N;        /* noted: FirstFailure */
byte arrived, failed;                 /* Arrivals */
byte observers, unobserved;           /* under the lock of the combination */
bool hasEnded;
bool table;                           /* the side table of the result has the combination */
bool losers;                          /* cancelsLosers */
bool decided, upstream, cancelledResult, otherLeft, otherGave;   /* ghost */
bool lastGave[N];                     /* ghost: the last consumer that left gave the input up */

#define PENDING(i) (!(st[i] & DONE))
#define SETTLED(i, how) ((st[i] & (DONE | REJECTED)) == (DONE | (how)))
#define SOME(what) (what(0) || what(1) || what(2))
#define COUNT(what) (what(0) + what(1) + what(2))
#define VALUE(i) SETTLED(i, 0)
#define ERROR(i) SETTLED(i, REJECTED)

#define WAIT   0
#define REJECT 1
#define FULFIL 2

#define LOCALS byte i, j, mine, mineUnobserved, departing, departingUnobserved, fired, giving, decision; bool gives, won, isLast, excuses

/* The rules: Promise+All, Promise+First, Promise+Some, Promise+AllSettled, `both` in Promise+Traverse. They are one step, because
   they only read settled promises. */
inline ask(asLast) {
  atomic {
    decision = WAIT;
    if
    :: rule == all || rule == allCancel || rule == allWait ->
       if :: ERROR(i) && rule == allWait && noted == N -> noted = i :: else fi;   /* S: FirstFailure.record: lock.locked */
       if
       :: ERROR(i) && rule != allWait -> decision = REJECT
       :: (!ERROR(i) || rule == allWait) && asLast && noted < N -> decision = REJECT   /* S: FirstFailure.input: lock.locked */
       :: (!ERROR(i) || rule == allWait) && asLast && noted == N -> assert(!SOME(ERROR)); decision = FULFIL
       :: else
       fi
    :: rule == any ->
       if
       :: !ERROR(i) -> decision = FULFIL
       :: ERROR(i) && asLast -> assert(!SOME(VALUE)); decision = REJECT
       :: else
       fi
    :: rule == some ->
       assert(!asLast);
       if                                                         /* S: Arrivals.record: lock.locked */
       :: ERROR(i) -> failed++; if :: failed == N - NEEDED + 1 -> decision = REJECT :: else fi
       :: !ERROR(i) -> arrived++; if :: arrived == NEEDED -> decision = FULFIL :: else fi
       fi
    :: rule == race -> decision = (ERROR(i) -> REJECT : FULFIL)
    :: rule == allSettled -> if :: asLast -> decision = FULFIL :: else fi
    :: rule == both ->
       if
       :: ERROR(i) -> decision = REJECT
       :: !ERROR(i) && asLast -> assert(!SOME(ERROR)); decision = FULFIL
       :: else
       fi
    fi;
    assert(!asLast || !(SOME(PENDING)))
  }
}

/* AnyPromise.markHandledInAdvance */
inline markHandledInAdvance(k) { if :: st[k] & DONE -> examined[k] = true :: else -> excused[k] = true fi }

/* Combination.detach of the observers in `mine` */
inline detach() {
  if :: remaining == 0 -> mine = 0 :: else fi;                    /* S: Combination.depart: remaining.load */
  j = 0;
  do
  :: j < N ->
     if
     :: mine & BIT(j) ->
        atomic {                                                  /* S: Following.detach: var state = lock() */
          if
          :: observer[j] == WAITING ->
             observer[j] = ENDED;
#ifndef BROKEN_LEAVES_NO_CONSUMER
             departing = departing | BIT(j);
#endif
#ifndef BROKEN_EXCUSES_NOBODY
             if :: excuses -> markHandledInAdvance(j) :: else fi  /* S: Combination.markHandledInAdvance: let state = promise.lock() */
#endif
          :: else
          fi
        }
     :: else
     fi;
     j++
  :: else -> break
  od;
  atomic { j = 0; mine = 0 }
}
/* The inputs in `mineUnobserved` have no observer. They count as handled, or are given up although the result was never
   among their consumers. */
inline detachUnobserved() {
  atomic {
    do
    :: j < N ->
       if :: (mineUnobserved & BIT(j)) && excuses -> markHandledInAdvance(j) :: else fi;
       j++
    :: else -> break
    od;
    if :: gives -> departingUnobserved = mineUnobserved :: else fi;
    j = 0; mineUnobserved = 0
  }
}
/* Combination.end */
inline end() {
  atomic {                                                        /* S: Combination.end: lock.locked */
    hasEnded = true;
    mine = observers; mineUnobserved = unobserved; observers = 0; unobserved = 0
  }
  detach(); detachUnobserved()
}
/* FiringQueue.leave: carries out the departures. */
inline depart() {
  do
  :: departing || departingUnobserved ->
     atomic {                                                     /* S: Departing.lockAndRemove: let state = promise.lock() */
       j = 0;
       do
       :: !((departing | departingUnobserved) & BIT(j)) -> j++
       :: else -> break
       od;
       won = false;
       if
       :: departing & BIT(j) ->
          if
          :: PENDING(j) && listed[j] ->
             listed[j] = false; assert(count[j] > 0); count[j]--; lastGave[j] = gives;   /* S: Departing.lockAndRemove: promise.list.remove(entry) */
             won = gives
          :: else
          fi
       :: else -> won = gives && PENDING(j)
       fi;
       departing = departing & ~BIT(j); departingUnobserved = departingUnobserved & ~BIT(j);
       if
#ifdef BROKEN_CANCELS_SHARED
       :: won ->
#else
       :: won && count[j] == 0 ->                                 /* S: Cancellation.carryOut: if state.consumers == 0, givingUp */
#endif
          assert(result & DONE);                                  /* rule 4.4 */
          assert(j != 0 || !count[j]);
          settleInput(j, REJECTED | CALLED)
       :: else
       fi;
       j = 0; won = false
     }
  :: else -> break
  od;
  gives = false
}

/* Settles an input in this section. */
inline settleInput(k, how) {
  st[k] = DONE | (how); count[k] = 0;
  if :: listed[k] -> listed[k] = false; fired = fired | BIT(k) :: else fi
}

/* Combination.inputSettled for input i, and FiringQueue.carryOut */
inline inputSettled() {
#ifdef BROKEN_COUNT_BEFORE_RULE
  atomic { examined[i] = true; remaining--; isLast = (remaining == 0) }
  ask(isLast);
#else
  examined[i] = true;                                             /* S: Combination.inputSettled: input.markDutyPassed(to: result) */
  ask(false);
  if
  :: decision == WAIT ->
     atomic { assert(remaining > 0); remaining--; isLast = (remaining == 0) }   /* S: Combination.inputSettled: remaining.subtract */
     if :: isLast && !(result & DONE) -> ask(true) :: else fi     /* S: Combination.inputSettled: result.acquiredState.isPending */
  :: else
  fi;
#endif
  if
  :: decision == WAIT ->
     assert(!isLast || result & DONE)                             /* the rule decides for the last input */
  :: else ->
     gives = ERROR(i) && (rule == allCancel || rule == both) || losers;
#ifdef BROKEN_LOSERS_ARE_LEFT
     gives = gives && !losers;
#endif
     excuses = true;
#ifdef BROKEN_ENDED_FIRST
     end();                                                       
#endif
     atomic {                                                     /* S: Firing.carryOut: result.settle(with: outcome */
       won = !(result & DONE);
       if
       :: won -> result = DONE | (decision == REJECT -> REJECTED : 0); decided = true;
#ifndef BROKEN_TABLE_KEEPS
          table = false                                           /* S: SideTable.takeLeftovers: combination: combination */
#endif
       :: else
       fi
     }
#ifndef BROKEN_ENDED_FIRST
     if :: won -> end() :: else fi;
#endif
  fi;
  depart();
  atomic { won = false; excuses = false; isLast = false; decision = WAIT }
}
/* Fires the observers of the settled inputs. */
inline fireAll() {
  do
  :: fired ->
     d_step { i = 0; do :: !(fired & BIT(i)) -> i++ :: else -> break od; fired = fired & ~BIT(i) }
     atomic {                                                     /* S: Firing.activateNothing: new.stage = .ended */
       won = (observer[i] == WAITING);
       observer[i] = ENDED
     }
     if :: won -> won = false; inputSettled() :: else fi
  :: else -> break
  od;
  i = 0
}

/* Combination.make and observe, followed by the fate of the result */
proctype Client(bool calls) {
  LOCALS; byte attached, taken;
  table = true;                                                   /* S: Combination.make: result.sideTable.combination = combination */
  do
  :: attached < N && !(result & DONE) ->                          /* S: Combination.observe: result.acquiredState.isPending */
     i = attached;
     atomic {
       if
       :: st[i] & DONE -> won = true                              /* S: Combination.observe: input.acquiredState.isClosed */
       :: else -> won = false
       fi
     }
     if
     :: won -> won = false; inputSettled()
     :: else ->
        atomic {                                                  /* S: Attaching.append: let state = source.lock() */
          observer[i] = WAITING; taken = taken | BIT(i);
          if
          :: PENDING(i) -> listed[i] = true; count[i]++
          :: else -> fired = fired | BIT(i)
          fi
        }
     fi;
     fireAll();
     attached++
  :: else -> break
  od;
  atomic {                                                        /* S: Combination.observe: guarded.observers = guarded.hasEnded */
    mine = 0; mineUnobserved = 0;
#ifdef BROKEN_STORE_WITHOUT_LOOKING
    observers = taken; unobserved = 7 & ~(BIT(attached) - 1)
#else
    if
    :: !hasEnded ->
       observers = taken;
#ifndef BROKEN_UNOBSERVED_FORGOTTEN
       unobserved = 7 & ~(BIT(attached) - 1)
#endif
    :: hasEnded ->
       mine = taken; mineUnobserved = 7 & ~(BIT(attached) - 1);
       gives = (rule == allCancel || rule == both) && (result & REJECTED) || losers;   /* S: Combination.observe: ended.givesUpOthers */
       excuses = true
    fi
#endif
  }
  detach(); detachUnobserved(); depart(); fireAll();
  atomic { excuses = false; taken = 0; attached = 0 }
  if
  :: calls ->
     atomic {                                                     /* S: Cancellation.visit: let state = promise.lock() */
       won = !(result & DONE);
       if :: won -> result = DONE | REJECTED | CALLED; cancelledResult = true; table = false :: else fi
     }
     if
     :: won ->
        won = false;
        end();                                                    /* S: Cancellation.giveUp: combination.end() */
        gives = upstream || rule == both;                         /* S: Cancellation.giveUp: combination.isOwner ? givingUp.own : givingUp.source */
        depart(); fireAll()
     :: else
     fi
  :: else
  fi
}

proctype Settler(byte me) {
  LOCALS;
  byte how;
  if :: how = 0 :: how = REJECTED :: me == 0 -> how = CALLED fi;  /* CALLED: never */
  if
  :: how != CALLED ->
     atomic { if :: PENDING(me) -> settleInput(me, how) :: else fi }   /* S: Settling.settle: let state = lock() */
     fireAll()
  :: else
  fi
}

/* Another consumer of input 0 leaves, or gives it up. */
proctype Other() {
  LOCALS;
  bool gave;
  if :: gave = false :: gave = true fi;
  atomic {                                                        /* S: Departing.lockAndRemove: state.removingConsumer() */
    if
    :: PENDING(0) ->
       assert(count[0] > 0); count[0]--; lastGave[0] = gave; otherLeft = !gave; otherGave = gave;
       if :: gave && count[0] == 0 -> settleInput(0, REJECTED | CALLED) :: else fi
    :: else
    fi
  }
  fireAll()
}

init {
  byte i;
  atomic {
    if :: rule = all :: rule = allCancel :: rule = allWait :: rule = any :: rule = some :: rule = race :: rule = allSettled :: rule = both fi;
    if
    :: rule != any -> st[2] = DONE
    :: rule == any || rule == some || rule == allWait -> st[2] = DONE | REJECTED
    :: skip
    fi;
    count[0] = 1;
    if :: rule == any || rule == some || rule == race -> losers = true :: true fi;
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
    /* No settlement is lost. The result is pending only if its rule requires it. */
    assert(result & DONE || !decided && SOME(PENDING) && rule != race);
    assert(result & DONE || !(SOME(ERROR) && (rule == all || rule == allCancel || rule == both)) && !(SOME(VALUE) && rule == any));
    assert(result & DONE || rule != some || COUNT(VALUE) < NEEDED && COUNT(ERROR) <= N - NEEDED);
    assert(table == !(result & DONE));
    do
    :: i < N ->
       /* Once the result is settled, no input keeps an observer (rule 4.9). */
       assert(!listed[i] || PENDING(i) && !(result & DONE) && observer[i] == WAITING);
       assert(!PENDING(i) || count[i] == (i == 0 && !otherLeft && !otherGave) + listed[i]);
       /* Inputs are lent (rule 4.8). They are cancelled only if the result gives them up and no other consumer is
          left. */
       assert(!(st[i] & CALLED) || upstream || losers || rule == allCancel || rule == both || i == 0 && otherGave);
       assert(!(st[0] & CALLED) || otherLeft || otherGave);
       assert(!PENDING(i) || count[i] > 0 || !lastGave[i]);
       assert(!(cancelledResult && (upstream || rule == both)) || !PENDING(i) || count[i] > 0 || i == 0 && otherLeft);
       assert(!(decided && (losers || (result & REJECTED) && (rule == allCancel || rule == both))) ||
         !PENDING(i) || count[i] > 0 || i == 0 && otherLeft);
       /* A consumer has examined the error, or the error is excused (rule 7.1). */
       assert(!decided || examined[i] || excused[i]);
       i++
    :: else -> break
    od
  }
}
