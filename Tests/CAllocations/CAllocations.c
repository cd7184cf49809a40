#define _GNU_SOURCE
#include "CAllocations.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && defined(__LP64__) && !defined(SANITIZED)

#include <errno.h>
#include <malloc.h>

// glibc's own entry points, exported under these names for such purposes.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// Plain thread-locals of an executable: to touch them never allocates, so nothing here can call itself.
static __thread int64_t made;
static __thread int64_t released;
static __thread int64_t requested[ALLOCATIONS_REMEMBERED];

static void *counted(void *block, size_t size) {
  if (block == NULL) return NULL;
  requested[made % ALLOCATIONS_REMEMBERED] = (int64_t)size;
  made++;
  return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size), count * size); }

// A block that grows is one given back and one taken, wherever it ends up.
void *realloc(void *block, size_t size) {
  void *moved = __libc_realloc(block, size);
  if (block != NULL && (moved != NULL || size == 0)) released++;
  return counted(moved, size);
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size), size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *found = counted(__libc_memalign(alignment, size), size);
  if (found == NULL) return ENOMEM;
  *block = found;
  return 0;
}

void free(void *block) {
  if (block == NULL) return;
  released++;
  __libc_free(block);
}

bool allocations_are_counted(void) { return true; }
int64_t allocations_made(void) { return made; }
int64_t allocations_released(void) { return released; }

int64_t allocation_requested_size(int64_t number) {
  if (number < 0 || number >= made || number < made - ALLOCATIONS_REMEMBERED) return 0;
  return requested[number % ALLOCATIONS_REMEMBERED];
}

// A block has a header of 8 bytes, is a multiple of 16, and 32 at least.
int64_t allocation_usable_size(int64_t size) {
  int64_t block = (size + 8 + 15) / 16 * 16;
  return (block < 32 ? 32 : block) - 8;
}

int64_t allocation_actual_size(uintptr_t block) { return (int64_t)malloc_usable_size((void *)block); }

#else

bool allocations_are_counted(void) { return false; }
int64_t allocations_made(void) { return 0; }
int64_t allocations_released(void) { return 0; }
int64_t allocation_requested_size(int64_t number) { return 0; }
int64_t allocation_usable_size(int64_t size) { return size; }
int64_t allocation_actual_size(uintptr_t block) { return 0; }

#endif
