// The only file of the package that includes the headers of libdbus and GLib.

#ifndef __linux__
#error "Bluejay for Linux builds on Linux only; on Apple systems use github.com/steamclock/bluejay"
#elif !__has_include(<dbus/dbus.h>)
#error "libdbus-1-dev is missing: sudo apt-get install libdbus-1-dev"
#elif !__has_include(<glib-unix.h>)
#error "libglib2.0-dev is missing: sudo apt-get install libglib2.0-dev"
#else

#define _GNU_SOURCE
#include <dbus/dbus.h>
#include <glib-unix.h>
#include <glib.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

// Reports a constant that differs from a macro of libdbus.
#pragma clang diagnostic error "-Wmacro-redefined"

// The package's declarations of libdbus types, renamed for the comparison below.
#define DBusError OwnError
#define DBusMessageIter OwnMessageIter
#define DBus8ByteStruct Own8ByteStruct
#define DBusBasicValue OwnBasicValue
#define DBusWatchFlags OwnWatchFlags
#define DBusDispatchStatus OwnDispatchStatus
#define DBusHandlerResult OwnHandlerResult
#define DBUS_WATCH_READABLE OWN_WATCH_READABLE
#define DBUS_WATCH_WRITABLE OWN_WATCH_WRITABLE
#define DBUS_WATCH_ERROR OWN_WATCH_ERROR
#define DBUS_WATCH_HANGUP OWN_WATCH_HANGUP
#define DBUS_DISPATCH_DATA_REMAINS OWN_DISPATCH_DATA_REMAINS
#define DBUS_DISPATCH_COMPLETE OWN_DISPATCH_COMPLETE
#define DBUS_DISPATCH_NEED_MEMORY OWN_DISPATCH_NEED_MEMORY
#define DBUS_HANDLER_RESULT_HANDLED OWN_HANDLER_RESULT_HANDLED
#define DBUS_HANDLER_RESULT_NOT_YET_HANDLED OWN_HANDLER_RESULT_NOT_YET_HANDLED
#define DBUS_HANDLER_RESULT_NEED_MEMORY OWN_HANDLER_RESULT_NEED_MEMORY
#include "CBluejayDBusTypes.h"
#undef DBusError
#undef DBusMessageIter
#undef DBus8ByteStruct
#undef DBusBasicValue
#undef DBusWatchFlags
#undef DBusDispatchStatus
#undef DBusHandlerResult
#undef DBUS_WATCH_READABLE
#undef DBUS_WATCH_WRITABLE
#undef DBUS_WATCH_ERROR
#undef DBUS_WATCH_HANGUP
#undef DBUS_DISPATCH_DATA_REMAINS
#undef DBUS_DISPATCH_COMPLETE
#undef DBUS_DISPATCH_NEED_MEMORY
#undef DBUS_HANDLER_RESULT_HANDLED
#undef DBUS_HANDLER_RESULT_NOT_YET_HANDLED
#undef DBUS_HANDLER_RESULT_NEED_MEMORY

// The functions of libdbus: the compiler compares each declaration with the one above.
#include "CBluejay.h"

#define SAME(what, theirs, ours) _Static_assert((theirs) == (ours), what " differs from libdbus's")
#define SAME_LAYOUT(theirs, ours) \
    SAME("the size of " #theirs, sizeof(theirs), sizeof(ours)); \
    SAME("the alignment of " #theirs, _Alignof(theirs), _Alignof(ours))
#define SAME_FIELD(theirs, ours, field) \
    SAME("the place of " #field, offsetof(theirs, field), offsetof(ours, field)); \
    SAME("the size of " #field, sizeof(((theirs *)0)->field), sizeof(((ours *)0)->field))

SAME_LAYOUT(DBusError, struct OwnError);
SAME_FIELD(DBusError, struct OwnError, name);
SAME_FIELD(DBusError, struct OwnError, message);
SAME_LAYOUT(DBusMessageIter, struct OwnMessageIter);
SAME_LAYOUT(DBusBasicValue, OwnBasicValue);
SAME_FIELD(DBusBasicValue, OwnBasicValue, i64);
SAME_FIELD(DBusBasicValue, OwnBasicValue, bool_val);
SAME_FIELD(DBusBasicValue, OwnBasicValue, dbl);
SAME_FIELD(DBusBasicValue, OwnBasicValue, str);
SAME_FIELD(DBusBasicValue, OwnBasicValue, fd);
SAME("readable", DBUS_WATCH_READABLE, (int)OWN_WATCH_READABLE);
SAME("writable", DBUS_WATCH_WRITABLE, (int)OWN_WATCH_WRITABLE);
SAME("error", DBUS_WATCH_ERROR, (int)OWN_WATCH_ERROR);
SAME("hang-up", DBUS_WATCH_HANGUP, (int)OWN_WATCH_HANGUP);
SAME("data remains", DBUS_DISPATCH_DATA_REMAINS, (int)OWN_DISPATCH_DATA_REMAINS);
SAME("complete", DBUS_DISPATCH_COMPLETE, (int)OWN_DISPATCH_COMPLETE);
SAME("need memory", DBUS_DISPATCH_NEED_MEMORY, (int)OWN_DISPATCH_NEED_MEMORY);
SAME("handled", DBUS_HANDLER_RESULT_HANDLED, (int)OWN_HANDLER_RESULT_HANDLED);
SAME("not handled", DBUS_HANDLER_RESULT_NOT_YET_HANDLED, (int)OWN_HANDLER_RESULT_NOT_YET_HANDLED);
SAME("no memory", DBUS_HANDLER_RESULT_NEED_MEMORY, (int)OWN_HANDLER_RESULT_NEED_MEMORY);

SAME("invalid", DBUS_TYPE_INVALID, BLUEJAY_TYPE_INVALID);
SAME("byte", DBUS_TYPE_BYTE, BLUEJAY_TYPE_BYTE);
SAME("boolean", DBUS_TYPE_BOOLEAN, BLUEJAY_TYPE_BOOLEAN);
SAME("int16", DBUS_TYPE_INT16, BLUEJAY_TYPE_INT16);
SAME("uint16", DBUS_TYPE_UINT16, BLUEJAY_TYPE_UINT16);
SAME("int32", DBUS_TYPE_INT32, BLUEJAY_TYPE_INT32);
SAME("uint32", DBUS_TYPE_UINT32, BLUEJAY_TYPE_UINT32);
SAME("int64", DBUS_TYPE_INT64, BLUEJAY_TYPE_INT64);
SAME("uint64", DBUS_TYPE_UINT64, BLUEJAY_TYPE_UINT64);
SAME("double", DBUS_TYPE_DOUBLE, BLUEJAY_TYPE_DOUBLE);
SAME("string", DBUS_TYPE_STRING, BLUEJAY_TYPE_STRING);
SAME("path", DBUS_TYPE_OBJECT_PATH, BLUEJAY_TYPE_OBJECT_PATH);
SAME("signature", DBUS_TYPE_SIGNATURE, BLUEJAY_TYPE_SIGNATURE);
SAME("descriptor", DBUS_TYPE_UNIX_FD, BLUEJAY_TYPE_UNIX_FD);
SAME("array", DBUS_TYPE_ARRAY, BLUEJAY_TYPE_ARRAY);
SAME("variant", DBUS_TYPE_VARIANT, BLUEJAY_TYPE_VARIANT);
SAME("structure", DBUS_TYPE_STRUCT, BLUEJAY_TYPE_STRUCT);
SAME("entry", DBUS_TYPE_DICT_ENTRY, BLUEJAY_TYPE_DICT_ENTRY);

_Static_assert(
    BLUEJAY_IN == (int)G_IO_IN && BLUEJAY_OUT == (int)G_IO_OUT && BLUEJAY_ERR == (int)G_IO_ERR
        && BLUEJAY_HUP == (int)G_IO_HUP,
    "a condition differs from GLib's");

// Contexts and loops.

static GMainContext *context_of(bluejay_context *context) { return (GMainContext *)context; }
static GMainLoop *loop_of(bluejay_loop *loop) { return (GMainLoop *)loop; }
static GSource *source_of(bluejay_source *source) { return (GSource *)source; }

bluejay_context *bluejay_context_default(void) {
    return (bluejay_context *)g_main_context_default();
}

bluejay_context *bluejay_context_new(void) {
    return (bluejay_context *)g_main_context_new();
}

bluejay_context *bluejay_context_ref(bluejay_context *context) {
    return (bluejay_context *)g_main_context_ref(context_of(context));
}

void bluejay_context_unref(bluejay_context *context) {
    g_main_context_unref(context_of(context));
}

int bluejay_context_is_owner(bluejay_context *context) {
    return g_main_context_is_owner(context_of(context));
}

int bluejay_context_acquire(bluejay_context *context) {
    return g_main_context_acquire(context_of(context));
}

void bluejay_context_release(bluejay_context *context) {
    g_main_context_release(context_of(context));
}

void bluejay_context_push_thread_default(bluejay_context *context) {
    g_main_context_push_thread_default(context_of(context));
}

void bluejay_context_pop_thread_default(bluejay_context *context) {
    g_main_context_pop_thread_default(context_of(context));
}

void bluejay_context_wake(bluejay_context *context) { g_main_context_wakeup(context_of(context)); }

int bluejay_context_iterate(bluejay_context *context) {
    return g_main_context_iteration(context_of(context), FALSE);
}

int bluejay_context_wait(bluejay_context *context) {
    return g_main_context_iteration(context_of(context), TRUE);
}

// A descriptor for the events of a context.

struct bluejay_watch {
    GMainContext *context;
    int epoll;
    int timer;
    GPollFD *watched;
    int count;
    int capacity;
};

bluejay_watch *bluejay_watch_new(bluejay_context *context) {
    bluejay_watch *watch = g_new0(bluejay_watch, 1);
    struct epoll_event event = {.events = EPOLLIN};
    watch->context = g_main_context_ref(context_of(context));
    watch->epoll = epoll_create1(EPOLL_CLOEXEC);
    watch->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (watch->epoll < 0 || watch->timer < 0
        || epoll_ctl(watch->epoll, EPOLL_CTL_ADD, watch->timer, &event) != 0
        || !g_main_context_acquire(watch->context)) {
        if (watch->epoll >= 0) close(watch->epoll);
        if (watch->timer >= 0) close(watch->timer);
        g_main_context_unref(watch->context);
        g_free(watch);
        return NULL;
    }
    return watch;
}

int bluejay_watch_descriptor(bluejay_watch *watch) { return watch->epoll; }

static void set_timer(bluejay_watch *watch, int milliseconds) {
    struct itimerspec when = {{0, 0}, {0, 0}};
    if (milliseconds > 0) {
        when.it_value.tv_sec = milliseconds / 1000;
        when.it_value.tv_nsec = (long)(milliseconds % 1000) * 1000000;
    }
    timerfd_settime(watch->timer, 0, &when, NULL);
}

int bluejay_watch_arm(bluejay_watch *watch) {
    gint priority, timeout, count;
    if (g_main_context_prepare(watch->context, &priority)) return 1;
    for (int i = 0; i < watch->count; i++)
        epoll_ctl(watch->epoll, EPOLL_CTL_DEL, watch->watched[i].fd, NULL);
    watch->count = 0;
    while ((count = g_main_context_query(
                watch->context, G_MAXINT, &timeout, watch->watched, watch->capacity))
           > watch->capacity) {
        watch->watched = g_renew(GPollFD, watch->watched, count);
        watch->capacity = count;
    }
    watch->count = count;
    // GLib's poll events have the values of poll(2), and so do epoll's.
    for (int i = 0; i < count; i++) {
        struct epoll_event event = {.events = watch->watched[i].events};
        epoll_ctl(watch->epoll, EPOLL_CTL_ADD, watch->watched[i].fd, &event);
    }
    set_timer(watch, timeout);
    return timeout == 0;
}

void bluejay_watch_leave(bluejay_watch *watch) { g_main_context_release(watch->context); }

void bluejay_watch_free(bluejay_watch *watch) {
    close(watch->epoll);
    close(watch->timer);
    g_main_context_unref(watch->context);
    g_free(watch->watched);
    g_free(watch);
}

int bluejay_depth(void) { return g_main_depth(); }

bluejay_loop *bluejay_loop_new(bluejay_context *context) {
    return (bluejay_loop *)g_main_loop_new(context_of(context), FALSE);
}

void bluejay_loop_unref(bluejay_loop *loop) { g_main_loop_unref(loop_of(loop)); }
void bluejay_loop_run(bluejay_loop *loop) { g_main_loop_run(loop_of(loop)); }
void bluejay_loop_quit(bluejay_loop *loop) { g_main_loop_quit(loop_of(loop)); }

int64_t bluejay_monotonic_time(void) { return g_get_monotonic_time(); }

// GLib subclasses a source by a larger structure that begins with `GSource`.

typedef struct {
    GSource base;
    bluejay_steps steps;
    void *data;
} StepSource;

static gboolean prepare(GSource *source, gint *timeout) {
    StepSource *own = (StepSource *)source;
    *timeout = -1;
    return own->steps.prepare(own->data);
}

static gboolean check(GSource *source) {
    StepSource *own = (StepSource *)source;
    return own->steps.check(own->data);
}

static gboolean dispatch(GSource *source, GSourceFunc callback, gpointer data) {
    StepSource *own = (StepSource *)source;
    (void)callback;
    (void)data;
    own->steps.dispatch(own->data);
    return G_SOURCE_CONTINUE;
}

static void finalize(GSource *source) {
    StepSource *own = (StepSource *)source;
    own->steps.release(own->data);
}

static GSourceFuncs step_functions = {
    .prepare = prepare, .check = check, .dispatch = dispatch, .finalize = finalize};

bluejay_source *bluejay_source_new(
    bluejay_context *context, bluejay_steps steps, void *data, int can_recurse) {
    GSource *source = g_source_new(&step_functions, sizeof(StepSource));
    StepSource *own = (StepSource *)source;
    own->steps = steps;
    own->data = data;
    g_source_set_can_recurse(source, can_recurse);
    g_source_attach(source, context_of(context));
    return (bluejay_source *)source;
}

void bluejay_source_make_last(bluejay_source *source) {
    g_source_set_priority(source_of(source), G_PRIORITY_LOW);
}

void bluejay_source_end(bluejay_source *source) {
    g_source_destroy(source_of(source));
    g_source_unref(source_of(source));
}

void bluejay_source_fall_behind(bluejay_source *source) {
    // GLib removes the source from the list of its priority and appends it.
    g_source_set_priority(source_of(source), G_PRIORITY_DEFAULT);
}

void bluejay_source_leave(bluejay_source *source) { g_source_unref(source_of(source)); }

void bluejay_source_end_current(void) { g_source_destroy(g_main_current_source()); }

void bluejay_source_set_ready_time(bluejay_source *source, int64_t microseconds) {
    g_source_set_ready_time(source_of(source), microseconds);
}

void *bluejay_source_add_descriptor(bluejay_source *source, int descriptor, uint32_t condition) {
    return g_source_add_unix_fd(source_of(source), descriptor, (GIOCondition)condition);
}

void bluejay_source_modify_descriptor(bluejay_source *source, void *tag, uint32_t condition) {
    g_source_modify_unix_fd(source_of(source), tag, (GIOCondition)condition);
}

void bluejay_source_remove_descriptor(bluejay_source *source, void *tag) {
    g_source_remove_unix_fd(source_of(source), tag);
}

uint32_t bluejay_source_query_descriptor(bluejay_source *source, void *tag) {
    return (uint32_t)g_source_query_unix_fd(source_of(source), tag);
}

// Callbacks for GLib's kinds of sources.

typedef struct {
    void (*call)(void *data);
    void (*call_with_status)(int status, void *data);
    void *data;
    bluejay_release release;
} Call;

static Call *make_call(void *data, bluejay_release release) {
    Call *call = g_new0(Call, 1);
    call->data = data;
    call->release = release;
    return call;
}

static void free_call(gpointer data) {
    Call *call = data;
    call->release(call->data);
    g_free(call);
}

static gboolean call_again(gpointer data) {
    Call *call = data;
    call->call(call->data);
    return G_SOURCE_CONTINUE;
}

static void call_with_status(GPid process, gint status, gpointer data) {
    Call *call = data;
    (void)process;
    call->call_with_status(status, call->data);
}

bluejay_source *bluejay_signal_source_new(
    bluejay_context *context,
    int signal,
    void (*call)(void *data),
    void *data,
    bluejay_release release) {
    GSource *source = g_unix_signal_source_new(signal);
    Call *made = make_call(data, release);
    made->call = call;
    g_source_set_callback(source, call_again, made, free_call);
    g_source_attach(source, context_of(context));
    return (bluejay_source *)source;
}

int bluejay_signal_is_default(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO)
        && action.sa_handler == SIG_DFL;
}

void bluejay_end_by_signal(int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), number);
    // The first process of a container ignores its own signals.
    g_usleep(100000);
    _exit(128 + number);
}

bluejay_source *bluejay_watch_child(
    bluejay_context *context,
    int process,
    void (*call)(int status, void *data),
    void *data,
    bluejay_release release) {
    GSource *source = g_child_watch_source_new(process);
    Call *made = make_call(data, release);
    made->call_with_status = call;
    // GLib calls the callback with the arguments of a GChildWatchFunc.
    g_source_set_callback(source, G_SOURCE_FUNC(call_with_status), made, free_call);
    g_source_attach(source, context_of(context));
    return (bluejay_source *)source;
}

static void reap(void *data) {
    while (waitpid((pid_t)(intptr_t)data, NULL, 0) == -1 && errno == EINTR) {}
}

void bluejay_reap(int process) { bluejay_start_thread(0, reap, (void *)(intptr_t)process); }

// Checksums.

void bluejay_sha1(const uint8_t *bytes, size_t count, uint8_t *digest) {
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA1);
    gsize length = 20;
    g_checksum_update(checksum, bytes, (gssize)count);
    g_checksum_get_digest(checksum, digest, &length);
    g_checksum_free(checksum);
}

#endif
