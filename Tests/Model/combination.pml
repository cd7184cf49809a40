/* A combinator: one result made from three inputs.  Four processes: the client makes the combination, and then cancels,
   abandons or lets go of the result; two settle an input each, with a value or an error; another consumer of input 0 may
   leave, and abandons it then.  Input 2 was settled before, or never is.  Sequentially consistent.

   `rule`: `all` with its three policies, `any`, `race`, `allSettled`, and `both` of `traverse`, which owns its inputs.
   References to the combination and to the result are counted; the result's table and the combination keep each other.
   What `cell.pml` and `cancel.pml` show is not repeated: a publication takes the one link there is and closes the promise in
   one step, and a cancellation that meets a settlement leaves no request.

   Broken variants: BROKEN_COUNT_BEFORE_RULE (as it was until the model was written), BROKEN_STORE_WITHOUT_LOOKING,
   BROKEN_TABLE_KEEPS, BROKEN_CLAIM_IGNORED, BROKEN_UNOWNED_BODIES, BROKEN_EXCUSES_NOBODY,
   BROKEN_LEAVES_NO_CONSUMER, BROKEN_LEAVE_KEEPS_OBSERVERS, BROKEN_LEAVE_LENT_CANCELS, BROKEN_LAST_OF_CLAIMED.. */

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

byte st[N], result;                   /* CellWord: inputs, result */
byte count[N];                        /* consumers */
byte link[N];                         /* LinkWord of the observer */
bool listed[N], body[N];              /* in the list of its input; its body is there: it keeps the combination */
bool examined[N], excused[N];
byte remaining = N, noted = N;        /* FirstFailure */
byte observers; bool isOver;          /* under the combination's lock */
bool table;                           /* the result's side table refers to the combination */
byte rcC, rcR; bool freedC, freedR;
bool decided, abandoned, cancelledResult, otherLeft;
byte published;

#define PENDING(i) (!(st[i] & DONE))
#define SETTLED(i, how) ((st[i] & (DONE | REJECTED)) == (DONE | (how)))
#define SOME(what) (what(0) || what(1) || what(2))
#define VALUE(i) SETTLED(i, 0)
#define ERROR(i) SETTLED(i, REJECTED)

#define LOCALS byte i, j, taken, mine, unwanted, fired, cancels, mask; bool won, last, publishes, counted, excusing, keeps, pinned

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
       if :: ERROR(i) && rule == allWait && noted == N -> noted = i :: else fi;   /* S: FirstFailure.note: lock.locked */
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

/* AnyPromise.lostConsumer */
inline lostConsumer(k) {
  last = false;
  if :: !(st[k] & CLAIMED) -> assert(count[k] > 0); count[k]--; last = (count[k] == 0) :: else fi
}

/* AnyPromise.excuse */
inline excuse(k) { if :: st[k] & DONE -> examined[k] = true :: else -> excused[k] = true fi }

/* Combination.callOff(_:excusing:): those in `mine` */
inline callOff() {
  if
  :: remaining == 0                                               /* S: Combination.callOff: remaining.load */
  :: else ->
     j = 0;
     do
     :: j < N ->
        if
        :: mine & BIT(j) ->
           atomic {                                               /* S: Link.detach: word.bitwiseOr */
             assert(!freedC); won = !(link[j] & (STARTED | DETACHED)); link[j] = link[j] | DETACHED;
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
              atomic {                                            /* S: AnyPromise+Detaching.takeConsumer: word.compareExchange */
#ifndef BROKEN_LEAVES_NO_CONSUMER
                lostConsumer(j);
#endif
                if :: last -> unwanted = unwanted | BIT(j) :: else fi;
                last = false;
#ifndef BROKEN_EXCUSES_NOBODY
                if :: excusing -> excuse(j) :: else fi            /* S: Combination.excuse: cell.isDone */
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

/* Combination.leave(excusing:) */
inline leave() {
  unwanted = 0;
  atomic {                                                        /* S: Combination.leave: lock.locked */
    assert(!freedC); isOver = true;
#ifndef BROKEN_LEAVE_KEEPS_OBSERVERS
    mine = observers;
#endif
    observers = 0
  }
  callOff();
#ifndef BROKEN_TABLE_KEEPS
  atomic { if :: table -> table = false; releaseC() :: else fi }  /* S: Combination.forgetCombination: locked */
#endif
}

/* Combination.take(_:), in the body of the observer of input i, which has been taken out of its link */
inline take() {
#ifdef BROKEN_COUNT_BEFORE_RULE
  atomic { assert(!freedC); remaining--; counted = (remaining == 0) }
  ask(counted);
#else
  ask(false); counted = false;
  if
  :: won
  :: else ->
     atomic { assert(!freedC && remaining > 0); remaining--; counted = (remaining == 0) }   /* S: Combination.take: remaining.subtract */
#ifdef BROKEN_LAST_OF_CLAIMED
     if :: counted -> ask(true) :: else fi
#else
     if :: counted && !(result & CLAIMED) -> ask(true) :: else fi   /* S: Combination.take: result.isUnclaimed */
#endif
  fi;
#endif
  if
  :: !won -> if :: counted -> excusing = false; leave() :: else fi
  :: won ->
     if
     :: ERROR(i) && (rule == allCancel || rule == both) ->
        atomic { mask = 0; j = 0; do :: j < N -> if :: !(st[j] & DONE) -> mask = mask | BIT(j) :: else fi; j++ :: else -> break od; j = 0 }   /* S: Combination.take: inputs.filter */
     :: else -> mask = 0
     fi;
     excusing = true; leave();
     atomic { cancels = cancels | mask; mask = 0; publishes = true; rcR++ }   /* the verdict refers to the result */
  fi;
  atomic { won = false; counted = false; unwanted = 0; excusing = false }
}

/* What a call still has to do: links to fire, inputs to cancel, and the result to publish.  Settlement, Cancellation. */
inline work() {
  do
  :: cancels ->                                                   /* Cancellation.visit */
     d_step { i = 0; do :: !(cancels & BIT(i)) -> i++ :: else -> break od; cancels = cancels & ~BIT(i) }
     settle(REJECTED | CALLED)
  :: !cancels && publishes ->
     atomic {                                                     /* S: AnyPromise+Settling.publishTakingLinks: word.compareExchange */
       assert(!freedR && (result & CLAIMED) && !(result & DONE)); result = result | DONE; published++; publishes = false; releaseR()
     }
  :: !cancels && !publishes && fired ->
     d_step { i = 0; do :: !(fired & BIT(i)) -> i++ :: else -> break od; fired = fired & ~BIT(i) }
     atomic {                                                     /* S: Link.start: word.bitwiseOr */
       keeps = !(link[i] & (STARTED | DETACHED)); link[i] = link[i] | STARTED;
       if :: keeps -> assert(body[i] && !freedC); body[i] = false; examined[i] = true :: else fi   /* S: Combination.take: input.markExamined */
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

/* Claims, writes and publishes input i: here one step; `fired` gets its observer */
inline settle(how) {
  atomic {                                                        /* S: AnyPromise+Settling.publishTakingLinks: word.compareExchange */
    if
    :: !(st[i] & CLAIMED) ->
       st[i] = CLAIMED | DONE | (how);
       if :: listed[i] -> listed[i] = false; fired = fired | BIT(i) :: else fi
    :: else
    fi
  }
}

/* Cancellation.visit of the result, leaveUpstream */
inline cancel() {
  atomic { won = !(result & CLAIMED); if :: won -> result = result | CLAIMED | REJECTED | CALLED; cancelledResult = true :: else fi }   /* S: Cancellation.claimCancelled: claim */
  if
  :: won ->
     atomic { pinned = table; if :: table -> retainC() :: else fi }   /* S: Combination.combination: locked */
     if
     :: pinned -> excusing = false; leave();
#ifdef BROKEN_LEAVE_LENT_CANCELS
        mask = unwanted;
#else
        mask = (abandoned || rule == both -> unwanted : 0);       /* Cancellation.leaveUpstream */
#endif
        atomic { releaseC(); unwanted = 0 }
     :: else
     fi;
     atomic { rcR++; publishes = true; won = false; pinned = false }
     work();                                                      /* publishes: Cancellation.visit; then goes on with */
     atomic { cancels = mask; mask = 0 }
     work()
  :: else
  fi
}

/* Combination.make and observe; then what becomes of the result */
proctype Client(bool calls) {
  LOCALS; byte attached;
  d_step { table = true; rcC = 2; rcR = 2 }                       /* table, and `combination`; combination, and `result` */
  do
  :: attached < N && !(result & CLAIMED) ->                       /* S: AnyPromise.isUnclaimed: cellHint */
     i = attached;
     atomic {                                                     /* S: AnyPromise+Attaching.push: word.compareExchange */
#ifndef BROKEN_UNOWNED_BODIES
       retainC();
#endif
       body[i] = true;
       if
       :: st[i] & DONE -> fired = BIT(i)
       :: else -> listed[i] = true; if :: !(st[i] & CLAIMED) -> count[i]++ :: else fi
       fi
     }
     work();
     attached++
  :: else -> break
  od;
  mask = (1 << attached) - 1;
  atomic { do :: attached < N -> excuse(attached); attached++ :: else -> break od }   /* S: Combination.excuse: cell.isDone */
  atomic {                                                        /* S: Combination.observe: lock.locked */
    assert(!freedC);
#ifdef BROKEN_STORE_WITHOUT_LOOKING
    observers = mask; won = false
#else
    if :: !isOver -> observers = mask :: else fi;
    won = isOver
#endif
  }
  if :: won -> mine = mask; excusing = true; callOff() :: else fi;
  atomic { releaseC(); mask = 0; unwanted = 0; excusing = false; won = false }
  if :: calls -> cancel() :: else fi;                             /* else nobody cares */
  atomic { releaseR() }
}

proctype Settler(byte me) {
  LOCALS;
  byte how;
  if :: how = 0 :: how = REJECTED :: me == 0 -> how = CALLED fi;  /* CALLED: never */
  if :: how != CALLED -> i = me; settle(how); work() :: else fi
}

/* Somebody else who waits for input 0 leaves, and cancels it if nobody wants it any more: Cancellation.leaveUpstream */
proctype Other() {
  LOCALS;
  atomic { otherLeft = true; lostConsumer(0) }                    /* S: AnyPromise+Detaching.takeConsumer: word.compareExchange */
  if :: last -> cancels = BIT(0); last = false; work() :: else fi
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
    if
    :: run Client(false)
    :: run Client(true)
    :: abandoned = true; run Client(true)
    :: rule == race && !st[2] -> abandoned = true; run Client(true); run Other()
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
       assert(!PENDING(i) || count[i] == (i == 0 && !otherLeft) + body[i]);
       /* Inputs are lent (rule 4.8), what is abandoned and wanted by nobody is cancelled (rule 4.6). */
       assert(!(st[i] & CALLED) || abandoned || rule == allCancel || rule == both || i == 0 && otherLeft);
       assert(!(st[0] & CALLED) || otherLeft || rule == allCancel || rule == both);
       assert(!(cancelledResult && (abandoned || rule == both)) || !PENDING(i) || count[i] > 0);
       assert(!(decided && (result & REJECTED) && (rule == allCancel || rule == both)) || !PENDING(i));
       /* Somebody has looked at the error, or nobody need (rule 7.1). */
       assert(!decided || examined[i] || excused[i]);
       i++
    :: else -> break
    od
  }
}
