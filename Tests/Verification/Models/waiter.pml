/* A Task that waits for a promise `p` and is cancelled (rule 4.7). The canceller knows its entry `w` before `w` is in
   the list of `p`. With `givesUp`, a cancelled Task gives up `p`; otherwise it leaves `p`. A section under one lock is
   one step. Sequentially consistent.

   Processes:
   - the Task begins to wait, and continues when it is resumed, but not before it has begun to wait;
   - the canceller cancels the Task;
   - the owner settles `p`;
   - another consumer of `p` leaves or gives up.

   Checked:
   - the Task is resumed once;
   - `w` does not stay in the list;
   - the count of consumers is correct;
   - a promise that its last consumer gives up is cancelled. */

#define WAITING 0
#define ENDED   1
#define W 1                                /* bits of the list */
#define C 2

bool givesUp;
bool done, taken, byCall;
byte list, count;                          /* of p */
byte stage;                                /* of w */
bool continuation, wasCancelled;
byte resumed;
bool left;                                 /* ghost: the other consumer left */
bool lastGave;                             /* ghost: the last consumer that left gave p up */

inline resume() { atomic { resumed++; assert(resumed == 1) } }
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
       if :: fires -> stage = ENDED; continuation = false :: else fi
     }
     if :: fires -> resume() :: else fi;
     fires = false
  :: else
  fi
}

proctype Task() {
  bool fires, isEnded, isLate;
  atomic {                                                         /* S: Waiter.wait: let state = lock() */
    isEnded = (stage == ENDED);
    if :: !isEnded -> continuation = true :: else fi
  }
  if
  :: isEnded -> resume()                                           /* S: Waiter.wait: continuation.resume() */
  :: else ->
     atomic {                                                      /* S: Attaching.append: source.list.append(entry) */
       if :: !done -> list = list | W; count++ :: else -> isLate = true; taken = true fi
     }
     if
     :: isLate -> fire()
     :: else ->
        isEnded = (stage == ENDED);                                /* S: Adopting.lookAgain: let hasEnded = state.stage == .ended */
#ifndef BROKEN_NO_SECOND_LOOK
        if :: isEnded -> depart(W, false) :: else fi               /* S: Adopting.givesUpAfterEnd: givesUpFollowed */
#endif
     fi
  fi;
  resumed;                                                         /* the Task is suspended until it is resumed */
  if
  :: wasCancelled && givesUp ->                                    /* S: Waiter.leaveOrGiveUp: guard locked({ wasCancelled }) */
#ifndef BROKEN_LEAVES_ENTRY
     depart(W, false);                                             /* S: Waiter.leaveOrGiveUp: leave() */
#endif
#ifndef BROKEN_LEAVES_ALONE
     depart(0, true);                                              /* S: Waiter.leaveOrGiveUp: cancellation.add(Departure(promise: promise), givingUp: true) */
#endif
     assert(done || count || left)
  :: else
  fi
}
proctype Canceller() {
  bool fires, was;
  atomic {                                                         /* S: Waiter.taskWasCancelled: guard state.stage == .waiting */
    if
    :: stage == WAITING -> stage = ENDED; wasCancelled = true; was = continuation; continuation = false
    :: else
    fi
  }
  if
  :: was ->
     if :: !givesUp -> depart(W, false) :: else fi;                /* S: Waiter.taskWasCancelled: leave() */
     resume()                                                      /* S: Waiter.taskWasCancelled: unsafe waiting.resume() */
  :: else
  fi
}
proctype Owner() { bool fires; atomic { if :: !done -> settle(false) :: else fi } fire() }   /* S: Settling.settle: let state = lock() */
proctype Consumer(bool gives) { bool fires; depart(C, gives) }

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
