#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Counts what the allocator is really asked for, by standing in for it: the executable that links this target has its
// own `malloc`, `calloc`, `realloc`, `posix_memalign`, `aligned_alloc`, `memalign` and `free`, which count and then
// forward to glibc's. The dynamic linker prefers them for all libraries too, the Swift runtime and Dispatch included.
//
// Counters are per thread: tests that run side by side do not disturb each other, and a test sees what its own thread
// does, not what handlers do elsewhere.

/// How many sizes are remembered.
#define ALLOCATIONS_REMEMBERED 1024

/// Whether anything is counted: on Linux with glibc, without a sanitizer, which would stand in for the allocator
/// itself.
bool allocations_are_counted(void);

/// How many blocks the calling thread has asked for since it started.
int64_t allocations_made(void);

/// How many blocks the calling thread has given back since it started.
int64_t allocations_released(void);

/// How many bytes the calling thread asked for with its `number`-th allocation, numbered from 0 as `allocations_made`
/// counts. Only the last ALLOCATIONS_REMEMBERED are known; 0 for others.
int64_t allocation_requested_size(int64_t number);

/// What `malloc_usable_size` says of a fresh block for so many bytes: what it really takes, without the 8 bytes that
/// glibc keeps in front of it.
///
/// Of a fresh one: glibc hands a used block of the next size out rather than leave a rest of 16 bytes, so the usable
/// size of one block and the same block tomorrow may differ by 16. Thresholds that fail in both directions need the
/// figure that does not.
int64_t allocation_usable_size(int64_t requested);

/// What `malloc_usable_size` says of this block, to check the above.
int64_t allocation_actual_size(uintptr_t block);

#endif
