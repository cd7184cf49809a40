/* Hooks of an owner (rule 4.5). The owner registers two hooks and another thread registers one, while a third thread
   settles the promise, by a cancellation or in another way. A section under the lock of the promise is one step.
   Sequentially consistent. */

bool done, byCall;
byte hooks;                           /* bits of the hooks in the side table */
byte ran[3], dropped[3];
bool inTime[3];                       /* ghost: registration ended before the settlement began */
bool begun;

inline runOrDrop(i) {
  atomic {                                                        /* S: OwnerHooks.add: promise.relaxedState.isEndedByCall */
    assert(done);
#ifdef BROKEN_RUN_AFTER_ANY
    ran[i]++
#else
    if :: byCall -> ran[i]++; assert(ran[i] == 1) :: else -> dropped[i]++; assert(dropped[i] == 1) fi
#endif
  }
}
/* Runs or drops the hooks in `mine`, outside the lock. */
inline runOrDropAll() {
  i = 0;
  do
  :: i < 3 -> if :: mine & (1 << i) -> runOrDrop(i) :: else fi; i++
  :: else -> break
  od;
  atomic { i = 0; mine = 0 }
}

/* AnyPromise.register */
inline register(k) {
#ifdef BROKEN_LOOK_BEFORE_SECTION
  isPending = !done;
  if
  :: isPending -> hooks = hooks | (1 << k)
  :: else
  fi;
#else
  atomic {                                                        /* S: OwnerHooks.register: let state = lock() */
    isPending = !done;
    if :: isPending -> hooks = hooks | (1 << k) :: else fi        /* S: OwnerHooks.register: sideTable.hooks.append(hook) */
  }
#endif
  if
  :: !isPending ->
     runOrDrop(k)                                                 /* S: OwnerHooks.register: return due.run() */
  :: else
  fi;
  atomic { inTime[k] = !begun; isPending = false }
}

#define LOCALS byte mine, i; bool isPending

active proctype End() {
  byte i;
  (_nr_pr == 1);
  d_step {
    assert(!hooks);
    do
    :: i < 3 -> assert(ran[i] + dropped[i] == 1); assert(byCall == (ran[i] == 1)); i++
    :: else -> break
    od
  }
}

active proctype Settler() {
  LOCALS; bool calls;
  atomic { begun = true; if :: calls = true :: calls = false fi }
#ifdef BROKEN_TAKEN_BEFORE_SECTION
  atomic { mine = hooks; hooks = 0 }
  atomic { done = true; byCall = calls }
#else
  atomic {                                                        /* S: Settling.endSection: unlock(new) */
    done = true; byCall = calls; mine = hooks; hooks = 0          /* S: Settling.endSection: side?.takeLeftovers */
  }
#endif
  runOrDropAll();                                                 /* S: OwnerHooks.run: for hook in within { hook.run() } */
  /* When the cancelling call returns, all hooks that were registered before have run. */
  assert(!byCall || (!inTime[0] || ran[0]) && (!inTime[1] || ran[1]) && (!inTime[2] || ran[2]))
}

active proctype Owner() { LOCALS; register(0); register(1) }
active proctype Other() { LOCALS; register(2) }
