/* DroppedPromises: three threads drop a job each; one of the rejections drops a further job.  Everybody pushes, one
   works.  Sequentially consistent.

   Broken variants: BROKEN_NO_SECOND_LOOK, BROKEN_TWO_WORKERS. */

#define JOBS 4
byte stack = 0;                       /* the newest box; 0: none */
byte next[5];
byte rejected[5];
bool working = false;
byte workers = 0;

/* DroppedPromises.push */
inline push(x) {
  old = stack;                                                    /* S: load */
  do
  :: true ->
     next[x] = old;
     atomic { if :: stack == old -> stack = x; won = true :: else -> old = stack; won = false fi }   /* S: compareExchange */
     if :: won -> break :: else fi
  od
}

/* DroppedPromises.work */
inline work() {
  workers++; assert(workers == 1);
  do
  :: true ->
     atomic { head = stack; stack = 0 }                           /* S: exchange */
     if :: head == 0 -> break :: else fi;
     do
     :: head != 0 ->
        x = head; head = next[x];
        rejected[x]++; assert(rejected[x] == 1);
        /* Rejecting 1 drops job 4: reject() inside work(), which finds a worker, itself. */
        if
        :: x == 1 -> push(4); assert(working)
        :: else
        fi
     :: else -> break
     od
  od;
  workers--
}

/* DroppedPromises.reject */
proctype Dropper(byte me) {
  byte old, head, x; bool won;
  push(me);
  do
  :: true ->
     if :: stack == 0 -> break :: else fi;                        /* S: load */
#ifdef BROKEN_TWO_WORKERS
     if :: working -> break :: else fi; working = true;
#else
     atomic { won = !working; working = true }                    /* S: exchange */
     if :: !won -> break :: else fi;
#endif
     work();
     working = false                                              /* S: store */
#ifdef BROKEN_NO_SECOND_LOOK
     ; break
#endif
  od
}

init {
  byte i;
  atomic { run Dropper(1); run Dropper(2); run Dropper(3) }
  (_nr_pr == 1);
  d_step { i = 1; do :: i <= JOBS -> assert(rejected[i] == 1); i++ :: else -> break od; assert(!working) }
}
