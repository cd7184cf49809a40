/* Hooks of an owner (rule 4.5): one is registered before, one while the promise is settled, by a cancellation or its owner's time limit, or in any other
   way; and a third thread registers too.  Three processes.  Sequentially consistent.

   This is the engine, after what it found was mended.  At 642c63a who registers too late takes the hooks of others too
   (BROKEN_TAKES_ALL).

   Broken variants: BROKEN_LOOK_FIRST, BROKEN_TAKE_FIRST, BROKEN_NO_SECOND_LOOK, BROKEN_TAKES_ALL, BROKEN_RUN_AFTER_ANY,
   BROKEN_TABLE_NOT_CHECKED. */

#define DONE   1
#define CALLED 2

byte state = 0;
bool table = false;                   /* the side table was made */
bool taken = false;                   /* its hooks were taken: OwnerHooks.isTaken */
byte hooks = 0;                       /* bits of the hooks in it */
byte ran[3], dropped[3];
bool added[3], inTime[3];             /* registration ended before the cancellation began */
bool byCall, begun;

inline runHook(i) { atomic { assert((state & DONE) && (state & CALLED)); ran[i]++; assert(ran[i] == 1) } }
/* Runs or drops those in `mine`: outside the lock */
inline tell() {
  i = 0;
  do
  :: i < 3 ->
     if
     :: mine & (1 << i) ->
#ifdef BROKEN_RUN_AFTER_ANY
        atomic { ran[i]++ }
#else
        if :: state & CALLED -> runHook(i) :: else -> atomic { dropped[i]++; assert(dropped[i] == 1) } fi
#endif
     :: else
     fi;
     i++
  :: else -> break
  od;
  atomic { i = 0; mine = 0 }
}

/* DueHooks.takeHooks by who settles */
inline takeHooks() {
  if
  :: table -> atomic { mine = hooks; hooks = 0; taken = true }    /* S: DueHooks.takeHooks: takeAll */
  :: else -> mine = 0
  fi
}

/* AnyPromise.register */
inline addHook(k) {
#ifdef BROKEN_LOOK_FIRST
  seen = state;
#endif
  table = true;                                                   /* S: SideReference.getOrCreateTable: word.compareExchange */
  atomic {                                                        /* S: OwnerHooks.register: append(hook) */
    isAdded = !taken;
    if :: isAdded -> hooks = hooks | (1 << k) :: else fi
  }
#if !defined(BROKEN_LOOK_FIRST) && !defined(BROKEN_NO_SECOND_LOOK)
  seen = state;                                                   /* S: AnyPromise.stateInOrder: word.load */
#endif
  if
  :: seen & DONE ->
     if
     :: isAdded ->
        /* Settled: who settled may have looked for this hook too early.  For this one only: the others are his. */
#ifdef BROKEN_TAKES_ALL
        atomic { mine = hooks; hooks = 0; taken = true }
#else
        atomic { mine = hooks & (1 << k); hooks = hooks & ~(1 << k) }   /* S: OwnerHooks.register: remove(number) */
#endif
        tell()
     :: else ->
        if :: seen & CALLED -> runHook(k) :: else -> dropped[k]++ fi
     fi
  :: else
  fi;
  atomic { added[k] = true; inTime[k] = !begun; seen = 0; isAdded = false }
}

#define LOCALS byte mine, i, seen; bool isAdded

active proctype End() {
  byte i;
  (_nr_pr == 1);
  d_step {
    assert(!hooks);
    i = 0;
    do
    :: i < 3 -> assert(ran[i] + dropped[i] == 1); assert(byCall == (ran[i] == 1)); i++
    :: else -> break
    od
  }
}

/* Cancellation.visit and fire, or AnyPromise.publish and endHooks */
active proctype Settler() {
  LOCALS;
  atomic { begun = true; if :: byCall = true :: byCall = false fi }
#ifdef BROKEN_TAKE_FIRST
  takeHooks();
#endif
  state = DONE | (byCall -> CALLED : 0);                          /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
#ifndef BROKEN_TAKE_FIRST
#ifdef BROKEN_TABLE_NOT_CHECKED
  atomic { mine = 0 }
#else
  takeHooks();
#endif
#endif
  tell();
  /* Inline in the call that cancelled: what was registered before has run when that returns. */
  assert(!byCall || !inTime[0] || ran[0]);
  assert(!byCall || !inTime[1] || ran[1]);
  assert(!byCall || !inTime[2] || ran[2])
}

active proctype Owner() { LOCALS; addHook(0); addHook(1) }
active proctype Other() { LOCALS; addHook(2) }
