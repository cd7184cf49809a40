#pragma once

#include <sched.h>
#include <stdint.h>

#if defined(__APPLE__)
#include <crt_externs.h>
#elif defined(__linux__)
extern char *_Nullable *_Nullable environ;
#endif

/// Lets the system run another thread on this core. Swift reaches `sched_yield` only through a module of the C library, whose name is
/// another one on each platform.
static inline void promise_yield(void) { sched_yield(); }

/// Tells the processor that the thread looks again and again at memory that another one will change.
static inline void promise_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

/// Identifies the calling thread. Threads that do not exist at the same time may have the same number.
uintptr_t promise_thread(void);

/// Memory of zeros for a lock, on cache lines of its own.
struct promise_stripe {
  _Alignas(128) char bytes[128];
};
extern __attribute__((visibility("hidden"))) struct promise_stripe promise_stripes[64];

/// Returns the memory of one of 64 locks. It is a variable of C, because Swift would check at each use whether its own is initialised.
static inline void *_Nonnull promise_stripe(intptr_t index) { return &promise_stripes[index]; }

/// Registers what PromiseCore uses of PromiseContexts. Does nothing if the program does not contain PromiseContexts.
///
/// Hidden, so that each copy of the library in a process calls the function of its own copy.
__attribute__((visibility("hidden"))) void promise_register_contexts(void);

// The name of a C function as the linker knows it.
#define PROMISE_STRING_OF(text) #text
#define PROMISE_STRING(text) PROMISE_STRING_OF(text)
#define PROMISE_SYMBOL(name) PROMISE_STRING(__USER_LABEL_PREFIX__) name

/// A function that Dispatch calls with a context.
typedef void (*promise_function)(void *_Nonnull);

/// `dispatch_async_f` and `dispatch_barrier_async_f`, for the C object of a queue. They have names of their own here, because Apple's
/// Swift module of Dispatch has no such functions, and on Linux they are in another module than Dispatch.
void promise_async_f(void *_Nonnull queue, void *_Nonnull context, promise_function _Nonnull work)
    __asm__(PROMISE_SYMBOL("dispatch_async_f"));
void promise_barrier_async_f(void *_Nonnull queue, void *_Nonnull context, promise_function _Nonnull work)
    __asm__(PROMISE_SYMBOL("dispatch_barrier_async_f"));

#if defined(__APPLE__)
/// The environment of this process, whose entries end with a null pointer. Swift does not import the variable of the C library, because any
/// thread can change it.
static inline char *_Nullable *_Nullable promise_environment(void) { return *_NSGetEnviron(); }
#elif defined(__linux__)
static inline char *_Nullable *_Nullable promise_environment(void) { return environ; }
#endif
