#pragma once

#include <sched.h>

/// Lets the system run another thread on this core. Swift reaches `sched_yield` only through a module of the C library, whose name is
/// another one on each platform.
static inline void promise_yield(void) { sched_yield(); }
