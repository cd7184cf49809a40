#include "CPromiseSystem.h"

// PromiseContexts defines this function, too. The linker prefers that definition, because this one is weak.
__attribute__((weak)) void promise_register_contexts(void) {}

struct promise_stripe promise_stripes[64];

uintptr_t promise_thread(void) {
  static _Thread_local char mark;
  return (uintptr_t)&mark;
}
