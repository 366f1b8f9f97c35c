// Threads and locks of pthreads, for Swift.

#ifdef __linux__

#define _GNU_SOURCE
#include "CBluejayThreads.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

uintptr_t bluejay_current_thread(void) { return (uintptr_t)pthread_self(); }

int bluejay_is_main_thread(void) {
    // Every call of the library needs this: cache the answer of the kernel for each thread.
    static _Thread_local enum { unknown, is_main, is_other } kind;
    if (kind == unknown) kind = syscall(SYS_gettid) == getpid() ? is_main : is_other;
    return kind == is_main;
}

typedef struct {
    void (*body)(void *data);
    void *data;
} Start;

static void *run(void *data) {
    Start start = *(Start *)data;
    free(data);
    start.body(start.data);
    return NULL;
}

int bluejay_start_thread(size_t stack_size, void (*body)(void *data), void *data) {
    pthread_t thread;
    pthread_attr_t attributes;
    int error;
    Start *start = malloc(sizeof *start);
    if (!start) return ENOMEM;
    *start = (Start){body, data};
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_size) pthread_attr_setstacksize(&attributes, stack_size);
    error = pthread_create(&thread, &attributes, run, start);
    pthread_attr_destroy(&attributes);
    if (error) free(start);
    return error;
}

void bluejay_name_thread(const char *name) {
    char kept[16] = {0};
    strncpy(kept, name, sizeof kept - 1);
    pthread_setname_np(pthread_self(), kept);
}

static _Thread_local int is_marked;

void bluejay_mark_thread(void) { is_marked = 1; }
int bluejay_is_thread_marked(void) { return is_marked; }

struct bluejay_lock {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

bluejay_lock *bluejay_lock_new(void) {
    pthread_condattr_t attributes;
    bluejay_lock *lock = malloc(sizeof *lock);
    if (!lock) abort();
    pthread_mutex_init(&lock->mutex, NULL);
    pthread_condattr_init(&attributes);
    // The realtime clock may be set while a thread waits.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&lock->condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return lock;
}

void bluejay_lock_free(bluejay_lock *lock) {
    pthread_cond_destroy(&lock->condition);
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

void bluejay_lock_take(bluejay_lock *lock) { pthread_mutex_lock(&lock->mutex); }
void bluejay_lock_give(bluejay_lock *lock) { pthread_mutex_unlock(&lock->mutex); }
void bluejay_lock_wait(bluejay_lock *lock) { pthread_cond_wait(&lock->condition, &lock->mutex); }

int bluejay_lock_wait_until(bluejay_lock *lock, int64_t monotonic_microseconds) {
    struct timespec end = {
        .tv_sec = monotonic_microseconds / 1000000,
        .tv_nsec = monotonic_microseconds % 1000000 * 1000,
    };
    return pthread_cond_timedwait(&lock->condition, &lock->mutex, &end) != ETIMEDOUT;
}

void bluejay_lock_signal(bluejay_lock *lock) { pthread_cond_signal(&lock->condition); }
void bluejay_lock_broadcast(bluejay_lock *lock) { pthread_cond_broadcast(&lock->condition); }

static struct utsname kernel;
static void read_kernel(void) { uname(&kernel); }

static struct utsname *read_kernel_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_kernel);
    return &kernel;
}

const char *bluejay_kernel_release(void) { return read_kernel_once()->release; }
const char *bluejay_kernel_build(void) { return read_kernel_once()->version; }

#endif
