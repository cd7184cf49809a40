/* A promise T that is cancelled takes the handler out of the reaction that would have settled it, while the source fires that reaction
   and its job runs (rule 2.5).  Three processes: the source's settler, the context, the canceller.  The reaction is an ordinary one
   for the value, one that recovers from errors, a forked one, or that of an `always`.  Sequentially consistent.

   Broken variants: BROKEN_RECOVERS_AFTER_CANCEL (as it was in the first edition), BROKEN_ALWAYS_DETACHES, BROKEN_TAKES_CONTEXT_FIRST, BROKEN_FIRED_TAKES_DETACHED, BROKEN_HALVED_IGNORED,
   BROKEN_NO_PIN, BROKEN_HALVE_IGNORES_STARTED. */

#define STARTED  1
#define FIRED    2
#define DETACHED 4
#define HALVED   8

#define VALUE  1
#define FORKED 2
#define ALWAYS 3
#define RECOVER 4                     /* also rescue, mapError */

#define CLAIMED  1
#define REJECTED 2
#define PIN 2

byte kind;
bool rejects;                         /* the source will be */
byte source = 0, target = 0;          /* claimed, rejected; claimed */
byte reaction = 0;
byte producer = 0;                    /* of T: 1: retired; pins */
bool freed = false;                   /* the reaction */
bool context = true;                  /* the field */
bool scheduled = false, jobOver = false, settlerOver = false;
byte bodyTaken = 0, valueTaken = 0;   /* closures; `value` is the second one of a forked reaction */
byte ranValue = 0, ranError = 0, ranAlways = 0;
bool alwaysByCancel = false, hasCancelled = false, startedBefore = false;

/* Reaction.deinit, after Reaction.endWithoutSettling or in endUnrun: retires, and waits for pins. */
inline free() {
  atomic { (producer < PIN); producer = producer | 1 }            /* S: Reaction.endUnrun: producer.retire */
  assert(!freed); freed = true
}

active proctype End() {
  (_nr_pr == 1);
  d_step {
    /* Always: once, however things went, if anything went. */
    assert(kind != ALWAYS || ranAlways <= 1);
    assert(kind != ALWAYS || !(target || source) || ranAlways == 1);
    /* Handlers of errors run if the source is rejected; after a cancellation too. */
    assert(kind != FORKED || ((source & REJECTED) != 0) == (ranError == 1));
    assert(bodyTaken <= 1 && valueTaken <= 1)
  }
}

/* AnyPromise.activate, or pass, by who settles the source */
active proctype Settler() {
  bool live;
  atomic { if :: kind = VALUE :: kind = FORKED :: kind = ALWAYS :: kind = RECOVER fi; if :: rejects = true :: rejects = false fi }
  if
  :: source = CLAIMED | (rejects -> REJECTED : 0);                /* S: AnyPromise+Settling.publishTakingReactions: word.compareExchange */
     if
     :: !(kind == VALUE && rejects) && !(kind == RECOVER && !rejects) ->   /* handles */
        assert(!freed && context);
        atomic { live = !(reaction & DETACHED); reaction = reaction | FIRED } /* S: Reaction.markFired: word.bitwiseOr */
#ifdef BROKEN_FIRED_TAKES_DETACHED
        context = false; scheduled = true
#else
        if
        :: live -> assert(context); context = false; scheduled = true   /* the context field is ours */
        :: else -> free(); jobOver = true
        fi
#endif
     :: else ->
        atomic { live = !(reaction & (STARTED | DETACHED)); reaction = reaction | STARTED }   /* S: Reaction+Settling.winPassing: start() */
        if :: live -> bodyTaken++; target = 1 :: else fi;
        free(); jobOver = true
     fi
  :: jobOver = true
  fi
}

/* Job.run; a context runs its jobs */
active proctype Context() {
  byte before; 
  if
  :: scheduled ->
     atomic { before = reaction; reaction = reaction | STARTED; if :: hasCancelled -> skip :: else -> startedBefore = true fi }   /* S: Reaction.start: word.bitwiseOr */
     if
     :: !(before & (STARTED | DETACHED)) ->
        atomic { bodyTaken++; assert(bodyTaken == 1) }            /* takeBody(forError:startedFrom:) */
        if
        :: kind == FORKED ->
#ifdef BROKEN_HALVED_IGNORED
           atomic { valueTaken++; assert(valueTaken == 1) }
#else
           if :: !(before & HALVED) -> atomic { valueTaken++; assert(valueTaken == 1) } :: else fi
#endif
        :: else
        fi;
        atomic {
          if
          :: kind == ALWAYS -> ranAlways++
          :: kind == FORKED && rejects -> ranError++
          :: kind == FORKED && !rejects && !(before & HALVED) -> ranValue++; assert(startedBefore)
          :: kind == VALUE || kind == RECOVER -> ranValue++; assert(startedBefore)
          :: else
          fi
        }
        target = 1
     :: else
     fi;
     free()
  :: jobOver
  fi
}

/* Cancellation.giveUpUpstream, LeftReaction.take: all of it under a pin */
active proctype Canceller() {
  byte seen, before; bool isPinned, won;
  (kind);
  atomic { won = !target; target = 1 }                            /* S: AnyPromise+Settling.claim: word.compareExchange */
  if
  :: won ->
#ifdef BROKEN_NO_PIN
     isPinned = !(producer & 1);
#else
     atomic { isPinned = !(producer & 1); if :: isPinned -> producer = producer + PIN :: else fi }   /* S: PinnedReference.pin: word.compareExchange */
#endif
     if
     :: isPinned ->
        assert(!freed);
        seen = source;                                            /* S: AnyPromise.acquiredState: word.load */
        if
        :: kind == ALWAYS && !(seen & CLAIMED) ->
#ifdef BROKEN_TAKES_CONTEXT_FIRST
           assert(context);
#endif
           atomic {                                               /* S: Reaction.detachBeforeFiring: word.compareExchange */
#ifdef BROKEN_ALWAYS_DETACHES
             won = !(reaction & (STARTED | DETACHED))
#else
             won = !(reaction & (FIRED | STARTED | DETACHED))
#endif
             if :: won -> reaction = reaction | DETACHED :: else fi
           }
           if
           :: won ->
              assert(!freed && context);                          /* read: not cleared by the settler, now or later */
              assert(!freed && context);
              atomic { bodyTaken++; assert(bodyTaken == 1) }
              alwaysByCancel = true
           :: else
           fi
        :: kind == ALWAYS && (seen & CLAIMED)
#ifdef BROKEN_RECOVERS_AFTER_CANCEL
        :: kind == RECOVER && (!(seen & CLAIMED) || (seen & REJECTED))
#endif
        :: kind == FORKED && (!(seen & CLAIMED) || (seen & REJECTED)) ->
           atomic { before = reaction; reaction = reaction | HALVED }         /* S: ForkedReaction.takeFulfilledHandler: word.bitwiseOr */
#ifdef BROKEN_HALVE_IGNORES_STARTED
           if :: !(before & (DETACHED | HALVED)) ->
#else
           if :: !(before & (STARTED | DETACHED | HALVED)) ->
#endif
              assert(!freed); atomic { valueTaken++; assert(valueTaken == 1) }
           :: else
           fi
        :: else ->
           atomic { before = reaction; reaction = reaction | DETACHED }       /* S: Reaction.detach: word.bitwiseOr */
           if
           :: !(before & (STARTED | DETACHED)) ->
              assert(!freed); atomic { bodyTaken++; assert(bodyTaken == 1) }
              if :: kind == FORKED -> atomic { valueTaken++; assert(valueTaken == 1) } :: else fi
           :: else
           fi
        fi;
        assert(!freed);                                           /* location(of: reaction) */
#ifndef BROKEN_NO_PIN
        atomic { producer = producer - PIN }                      /* S: PinnedReference.unpin: word.wrappingSubtract */
#endif
        atomic { (producer < PIN); producer = producer | 1 }      /* S: Leaving.takeAll: producer.retire */
        if :: alwaysByCancel -> atomic { ranAlways++ } :: else fi
     :: else
     fi;
     hasCancelled = true                                          /* the call returns */
  :: else
  fi
}
