#ifndef CBLUEJAY_THREADS_H
#define CBLUEJAY_THREADS_H

// Threads without Foundation, which is larger than the rest of the library.

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// An identifier that no other live thread has, and that is never 0.
uintptr_t bluejay_current_thread(void);
// Whether the calling thread is the one that the process began with.
int bluejay_is_main_thread(void);

// Starts a detached thread; a stack size of 0 is the system's default. Returns 0 or an `errno`.
int bluejay_start_thread(size_t stack_size, void (*body)(void *data), void *data);
// Names the calling thread for `ps -L`, `top` and `perf`; Linux keeps the first 15 bytes.
void bluejay_name_thread(const char *name);
// Marks the calling thread, so that it can be recognized later.
void bluejay_mark_thread(void);
int bluejay_is_thread_marked(void);

// A lock with a condition. It uses pthreads because ThreadSanitizer does not recognize other locks.
typedef struct bluejay_lock bluejay_lock;
// Aborts when memory is exhausted, as GLib and Swift do.
bluejay_lock *bluejay_lock_new(void);
void bluejay_lock_free(bluejay_lock *lock);
void bluejay_lock_take(bluejay_lock *lock);
void bluejay_lock_give(bluejay_lock *lock);
// The lock must be held, and is held again afterwards; the wait may end without a signal.
void bluejay_lock_wait(bluejay_lock *lock);
// Waits until the given time at most; returns 0 after a timeout.
int bluejay_lock_wait_until(bluejay_lock *lock, int64_t monotonic_microseconds);
// Wakes one waiting thread, or all.
void bluejay_lock_signal(bluejay_lock *lock);
void bluejay_lock_broadcast(bluejay_lock *lock);

// The release and the build of the kernel, as `uname -r` and `uname -v` print them.
const char *bluejay_kernel_release(void);
const char *bluejay_kernel_build(void);

#pragma clang assume_nonnull end

#endif
