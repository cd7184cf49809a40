#pragma once

#include <sched.h>

/// Lets the system run another thread on this core. Swift reaches it only through a module of the C library, which has another name on
/// each platform.
static inline void promise_yield(void) { sched_yield(); }
