// loop.h: a libdbus connection in a GSource, as in the library.
#pragma once
#include <dbus/dbus.h>
#include <glib.h>

static DBusConnection *connection;
static GMainLoop *loop;
static GSource *source;
static struct {
    DBusWatch *watch;
    gpointer tag;
} watches[8];
static int watch_count;

static gboolean has_messages(void) {
    return dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS;
}

static gboolean prepare(GSource *own, gint *timeout) {
    (void)own;
    *timeout = -1;
    return has_messages();
}

static gboolean check(GSource *own) {
    if (has_messages()) return TRUE;
    for (int i = 0; i < watch_count; i++)
        if (watches[i].tag && g_source_query_unix_fd(own, watches[i].tag)) return TRUE;
    return FALSE;
}

static gboolean dispatch(GSource *own, GSourceFunc function, gpointer data) {
    (void)function;
    (void)data;
    for (int i = 0; i < watch_count; i++) {
        if (!watches[i].tag) continue;
        GIOCondition ready = g_source_query_unix_fd(own, watches[i].tag);
        unsigned flags = (ready & G_IO_IN ? DBUS_WATCH_READABLE : 0)
            | (ready & G_IO_OUT ? DBUS_WATCH_WRITABLE : 0)
            | (ready & G_IO_ERR ? DBUS_WATCH_ERROR : 0)
            | (ready & G_IO_HUP ? DBUS_WATCH_HANGUP : 0);
        if (flags) dbus_watch_handle(watches[i].watch, flags);
    }
    for (int i = 0; i < 64 && has_messages(); i++) dbus_connection_dispatch(connection);
    return TRUE;
}

static GSourceFuncs functions = {.prepare = prepare, .check = check, .dispatch = dispatch};

static void toggle(DBusWatch *watch, void *data) {
    (void)data;
    for (int i = 0; i < watch_count; i++) {
        if (watches[i].watch != watch) continue;
        if (watches[i].tag) g_source_remove_unix_fd(source, watches[i].tag);
        watches[i].tag = NULL;
        if (!dbus_watch_get_enabled(watch)) return;
        unsigned flags = dbus_watch_get_flags(watch);
        watches[i].tag = g_source_add_unix_fd(
            source,
            dbus_watch_get_unix_fd(watch),
            (flags & DBUS_WATCH_READABLE ? G_IO_IN : 0)
                | (flags & DBUS_WATCH_WRITABLE ? G_IO_OUT : 0));
        return;
    }
}

static dbus_bool_t add(DBusWatch *watch, void *data) {
    watches[watch_count].watch = watch;
    watches[watch_count].tag = NULL;
    watch_count++;
    toggle(watch, data);
    return TRUE;
}

static void leave(DBusWatch *watch, void *data) {
    (void)data;
    for (int i = 0; i < watch_count; i++) {
        if (watches[i].watch != watch) continue;
        if (watches[i].tag) g_source_remove_unix_fd(source, watches[i].tag);
        watches[i] = watches[--watch_count];
        return;
    }
}

static void attach_to_loop(void) {
    loop = g_main_loop_new(NULL, FALSE);
    source = g_source_new(&functions, sizeof(GSource));
    g_source_attach(source, NULL);
    dbus_connection_set_watch_functions(connection, add, leave, toggle, NULL, NULL);
}
