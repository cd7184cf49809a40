/* A Task that waits for a promise `p` and is cancelled (rule 4.7). Its entry `w` is in the list of `p` before the
   canceller knows it. The Task may be cancelled before it is suspended. With `givesUp`, the canceller gives up `p`;
   otherwise it leaves `p`. A section under one lock is one step. Sequentially consistent.

   Processes:
   - the Task begins to wait, and continues when it is resumed, or need not be suspended;
   - the canceller cancels the Task, as soon as that has registered its cancellation handler;
   - the owner settles `p`;
   - another consumer of `p` leaves or gives up.

   Checked:
   - the Task is resumed once;
   - `w` does not stay in the list;
   - the count of consumers is correct;
   - a promise that its last consumer gives up is cancelled, before the Task is resumed. */

#define WAITING 0
#define ENDED   1
#define W 1                                /* bits of the list */
#define C 2

bool givesUp;
bool done, taken, byCall;
byte list, count;                          /* of p */
byte stage;                                /* of w */
bool registered;                           /* the canceller knows the Task */
bool continuation, isOver, wasCancelled;
byte resumed;
bool left;                                 /* ghost: the other consumer left */
bool lastGave;                             /* ghost: the last consumer that left gave p up */

inline resume() { atomic { resumed++; assert(resumed == 1) } }
inline resumeTask() {
  atomic {                                                         /* S: Waiter.resumeTask: isOver = true */
    isOver = true; was = continuation; continuation = false
  }
  if :: was -> resume() :: else fi;                                /* S: Waiter.resumeTask: waiting.resume() */
  was = false
}
inline settle(calls) { done = true; byCall = calls; taken = (list & W) != 0; list = 0; count = 0 }
/* The entry `who` leaves. With 0, no entry leaves. */
inline depart(who, gives) {
  atomic {                                                         /* S: Departing.lockAndRemove: let state = promise.lock() */
    if
    :: !done && who && (list & who) ->                             /* S: Departing.lockAndRemove: promise.list.contains(entry) */
       assert(count > 0); list = list & ~who; count--; lastGave = (gives); left = left || who == C && !(gives);
       if :: count == 0 && (gives) -> settle(true) :: else fi
    :: !done && !(who) -> if :: count == 0 && (gives) -> settle(true) :: else fi
    :: else
    fi
  }
  fire()
}
/* Fires w. */
inline fire() {
  if
  :: atomic { taken -> taken = false };
     atomic {                                                      /* S: Firing.activateNothing: new.stage = .ended */
       fires = (stage == WAITING);
       if :: fires -> stage = ENDED :: else fi
     }
     if :: fires -> resumeTask() :: else fi;
     fires = false
  :: else
  fi
}

proctype Task() {
  bool fires, was;
  atomic {                                                         /* S: Attaching.append: source.list.append(entry) */
    if :: !done -> list = list | W; count++ :: else -> taken = true fi
  }
  fire();
  registered = true;
  atomic {                                                         /* S: Waiter.wait: let isSuspended = locked */
#ifdef BROKEN_ALWAYS_SUSPENDS
    continuation = true
#else
    if :: isOver -> resume() :: else -> continuation = true fi     /* S: Waiter.wait: continuation.resume() */
#endif
  }
  resumed                                                          /* the Task is suspended until it is resumed */
}
proctype Canceller() {
  bool fires, was, ends;
  registered;
  atomic {                                                         /* S: Waiter.taskWasCancelled: guard state.stage == .waiting */
    ends = (stage == WAITING && !done);
    if :: ends -> stage = ENDED; wasCancelled = true :: else fi
  }
  if
  :: ends ->
#ifndef BROKEN_LEAVES_ENTRY
     depart(W, false);                                             /* S: Waiter.taskWasCancelled: leave() */
#endif
#ifndef BROKEN_LEAVES_ALONE
     if :: givesUp -> depart(0, true) :: else fi;                  /* S: Waiter.leaveOrGiveUp: cancellation.add(Departure(promise: promise), givingUp: givesUp) */
#endif
     assert(!givesUp || done || count || left);
     resumeTask()                                                  /* S: Waiter.leaveOrGiveUp: resumeTask() */
  :: else
  fi
}
proctype Owner() { bool fires, was; atomic { if :: !done -> settle(false) :: else fi } fire() }   /* S: Settling.settle: let state = lock() */
proctype Consumer(bool gives) { bool fires, was; depart(C, gives) }

init {
  atomic {
    if :: givesUp = true :: skip fi;
    run Task(); run Canceller();
    if :: run Owner() :: skip fi;
    if :: list = C; count = 1; if :: run Consumer(true) :: run Consumer(false) fi :: skip fi
  }
  (_nr_pr == 1);
  d_step {
    assert(resumed == 1 && stage == ENDED && !taken && !continuation);
    assert(!(list & W) && count == (list == C));
    assert(done || count || !lastGave);
    assert(!byCall || givesUp || lastGave)
  }
}
