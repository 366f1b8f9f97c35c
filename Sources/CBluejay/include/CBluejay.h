#ifndef CBLUEJAY_H
#define CBLUEJAY_H

// The one header of the package that includes libdbus and GLib.

#if !__has_include(<dbus/dbus.h>)
#error "libdbus-1-dev is missing: sudo apt-get install libdbus-1-dev"
#endif
#if !__has_include(<glib.h>)
#error "libglib2.0-dev is missing: sudo apt-get install libglib2.0-dev"
#endif

#include <dbus/dbus.h>
#include <glib-unix.h>
#include <glib.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

// libdbus defines its type codes as `((int) 's')`, which Swift cannot import.
enum bluejay_type_code {
    BLUEJAY_TYPE_INVALID = DBUS_TYPE_INVALID,
    BLUEJAY_TYPE_BYTE = DBUS_TYPE_BYTE,
    BLUEJAY_TYPE_BOOLEAN = DBUS_TYPE_BOOLEAN,
    BLUEJAY_TYPE_INT16 = DBUS_TYPE_INT16,
    BLUEJAY_TYPE_UINT16 = DBUS_TYPE_UINT16,
    BLUEJAY_TYPE_INT32 = DBUS_TYPE_INT32,
    BLUEJAY_TYPE_UINT32 = DBUS_TYPE_UINT32,
    BLUEJAY_TYPE_INT64 = DBUS_TYPE_INT64,
    BLUEJAY_TYPE_UINT64 = DBUS_TYPE_UINT64,
    BLUEJAY_TYPE_DOUBLE = DBUS_TYPE_DOUBLE,
    BLUEJAY_TYPE_STRING = DBUS_TYPE_STRING,
    BLUEJAY_TYPE_OBJECT_PATH = DBUS_TYPE_OBJECT_PATH,
    BLUEJAY_TYPE_SIGNATURE = DBUS_TYPE_SIGNATURE,
    BLUEJAY_TYPE_UNIX_FD = DBUS_TYPE_UNIX_FD,
    BLUEJAY_TYPE_ARRAY = DBUS_TYPE_ARRAY,
    BLUEJAY_TYPE_VARIANT = DBUS_TYPE_VARIANT,
    BLUEJAY_TYPE_STRUCT = DBUS_TYPE_STRUCT,
    BLUEJAY_TYPE_DICT_ENTRY = DBUS_TYPE_DICT_ENTRY
};

// Runs in a child between fork and exec, where only what is safe in a signal handler may be called.
// The child inherits the mask of the thread that starts it; threads of libdispatch, and all that are
// started from one, block nearly every signal, and SIGTERM would not end the child. It ends with the
// thread that started it, however that ends (prctl is variadic, which Swift cannot call).
static inline void bluejay_begin_child(void *data) {
    sigset_t none;
    (void)data;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

// The same for a child that a terminal's signals shall not reach.
static inline void bluejay_begin_session(void *data) {
    setsid();
    bluejay_begin_child(data);
}

// A number that no other thread has at the same time, and that is never 0.
static inline uintptr_t bluejay_current_thread(void) {
    return (uintptr_t)pthread_self();
}

// libdispatch's main queue, for a main loop that is not its own (CoreFoundation uses the same two).
// The handle is an eventfd on Linux; the callback runs what is queued, on the calling thread.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *);

#endif
