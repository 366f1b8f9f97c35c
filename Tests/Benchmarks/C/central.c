// central.c: what the library is measured against, raw libdbus with DBusPendingCall on a GLib main loop.
//
//     central read|write|notify|scan COUNT
//
// It says `ready` when all is set up, waits for a line, does the row COUNT times and ends. Every value
// that comes is looked at, as far as a program would have to.
#include <dbus/dbus.h>
#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADAPTER "/org/bluez/hci0"
#define DEVICE ADAPTER "/dev_C0_00_00_00_00_01"
#define VALUE DEVICE "/service0001/char0002"
#define NOTIFIER DEVICE "/service0001/char0004"
#define CONTROL DEVICE "/service0001/char0007"
#define CHARACTERISTIC "org.bluez.GattCharacteristic1"
#define PROPERTIES "org.freedesktop.DBus.Properties"
#define MANAGER "org.freedesktop.DBus.ObjectManager"
#define SIZE 20

static DBusConnection *connection;
static GMainLoop *loop;
static const char *row;
static long count, done;
static uint8_t value[512];

static void fail(const char *text) {
    fprintf(stderr, "central: %s\n", text);
    exit(1);
}

// ---- libdbus in a GSource, as the library has it ------------------------------------------------

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

// ---- Messages -----------------------------------------------------------------------------------

static DBusMessage *method(const char *path, const char *interface, const char *member) {
    return dbus_message_new_method_call("org.bluez", path, interface, member);
}

static DBusMessage *read_call(void) {
    DBusMessage *message = method(VALUE, CHARACTERISTIC, "ReadValue");
    DBusMessageIter all, options;
    dbus_message_iter_init_append(message, &all);
    dbus_message_iter_open_container(&all, 'a', "{sv}", &options);
    dbus_message_iter_close_container(&all, &options);
    return message;
}

static DBusMessage *write_call(const char *path, const void *bytes, int size) {
    DBusMessage *message = method(path, CHARACTERISTIC, "WriteValue");
    const char *key = "type", *type = "request";
    DBusMessageIter all, array, entry, variant;
    dbus_message_iter_init_append(message, &all);
    dbus_message_iter_open_container(&all, 'a', "y", &array);
    dbus_message_iter_append_fixed_array(&array, 'y', &bytes, size);
    dbus_message_iter_close_container(&all, &array);
    dbus_message_iter_open_container(&all, 'a', "{sv}", &array);
    dbus_message_iter_open_container(&array, 'e', NULL, &entry);
    dbus_message_iter_append_basic(&entry, 's', &key);
    dbus_message_iter_open_container(&entry, 'v', "s", &variant);
    dbus_message_iter_append_basic(&variant, 's', &type);
    dbus_message_iter_close_container(&entry, &variant);
    dbus_message_iter_close_container(&array, &entry);
    dbus_message_iter_close_container(&all, &array);
    return message;
}

static void answered(DBusPendingCall *pending, void *data) {
    void (*next)(DBusMessage *) = data;
    DBusMessage *reply = dbus_pending_call_steal_reply(pending);
    if (dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR)
        fail(dbus_message_get_error_name(reply));
    next(reply);
    dbus_message_unref(reply);
}

static void call(DBusMessage *message, void (*next)(DBusMessage *)) {
    DBusPendingCall *pending;
    dbus_connection_send_with_reply(connection, message, &pending, DBUS_TIMEOUT_INFINITE);
    dbus_pending_call_set_notify(pending, answered, next, NULL);
    dbus_pending_call_unref(pending);
    dbus_message_unref(message);
}

static void call_and_wait(DBusMessage *message) {
    DBusError error = DBUS_ERROR_INIT;
    DBusMessage *reply =
        dbus_connection_send_with_reply_and_block(connection, message, 60000, &error);
    if (!reply) fail(error.message);
    dbus_message_unref(message);
    dbus_message_unref(reply);
}

static void nothing(DBusMessage *reply) { (void)reply; }

// ---- Rows ---------------------------------------------------------------------------------------

static void take(DBusMessageIter *array) {
    DBusMessageIter bytes;
    const uint8_t *start;
    int size;
    dbus_message_iter_recurse(array, &bytes);
    dbus_message_iter_get_fixed_array(&bytes, &start, &size);
    if (size != SIZE) fail("a value has the wrong size");
    memcpy(value, start, size);
}

static void step(DBusMessage *reply) {
    if (reply && !strcmp(row, "read")) {
        DBusMessageIter all;
        dbus_message_iter_init(reply, &all);
        take(&all);
    }
    if (reply && ++done == count) return g_main_loop_quit(loop);
    call(!strcmp(row, "read") ? read_call() : write_call(VALUE, value, SIZE), step);
}

static void notified(DBusMessage *message) {
    if (!dbus_message_is_signal(message, PROPERTIES, "PropertiesChanged")) return;
    if (strcmp(dbus_message_get_path(message), NOTIFIER)) return;
    DBusMessageIter all, entries, entry, variant;
    const char *text;
    dbus_message_iter_init(message, &all);
    dbus_message_iter_get_basic(&all, &text);
    if (strcmp(text, CHARACTERISTIC)) return;
    dbus_message_iter_next(&all);
    dbus_message_iter_recurse(&all, &entries);
    for (; dbus_message_iter_get_arg_type(&entries); dbus_message_iter_next(&entries)) {
        dbus_message_iter_recurse(&entries, &entry);
        dbus_message_iter_get_basic(&entry, &text);
        if (strcmp(text, "Value")) continue;
        dbus_message_iter_next(&entry);
        dbus_message_iter_recurse(&entry, &variant);
        take(&variant);
        uint32_t number;
        memcpy(&number, value, sizeof number);
        if (number != done) fail("a notification was lost");
        if (++done == count) g_main_loop_quit(loop);
    }
}

static void walk(DBusMessageIter *all) {
    int type;
    while ((type = dbus_message_iter_get_arg_type(all))) {
        if (strchr("aver", type)) {
            DBusMessageIter inner;
            dbus_message_iter_recurse(all, &inner);
            walk(&inner);
        } else {
            DBusBasicValue basic;
            dbus_message_iter_get_basic(all, &basic);
        }
        dbus_message_iter_next(all);
    }
}

static void reported(DBusMessage *message) {
    DBusMessageIter all;
    const char *text;
    dbus_message_iter_init(message, &all);
    if (dbus_message_is_signal(message, MANAGER, "InterfacesAdded")) {
        dbus_message_iter_get_basic(&all, &text);
        dbus_message_iter_next(&all);
        walk(&all);
        if (!strcmp(text, ADAPTER "/dev_EE_EE_EE_EE_EE_EE")) g_main_loop_quit(loop);
    } else if (dbus_message_is_signal(message, PROPERTIES, "PropertiesChanged")) {
        dbus_message_iter_get_basic(&all, &text);
        if (!strcmp(text, "org.bluez.Device1")) walk(&all);
    }
}

static DBusHandlerResult filter(DBusConnection *own, DBusMessage *message, void *data) {
    (void)own;
    (void)data;
    if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_SIGNAL)
        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    if (!strcmp(row, "notify")) notified(message);
    if (!strcmp(row, "scan")) reported(message);
    return DBUS_HANDLER_RESULT_HANDLED;
}

static void subscribe(const char *rule) { dbus_bus_add_match(connection, rule, NULL); }

static void begin(void) {
    if (!strcmp(row, "scan")) {
        call(method(ADAPTER, "org.bluez.Adapter1", "StartDiscovery"), nothing);
    } else if (!strcmp(row, "notify")) {
        uint8_t command[7] = {'N'};
        uint32_t number = count;
        uint16_t size = SIZE;
        memcpy(command + 1, &number, sizeof number);
        memcpy(command + 5, &size, sizeof size);
        call(write_call(CONTROL, command, sizeof command), nothing);
    } else {
        step(NULL);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    row = argv[1];
    count = atol(argv[2]);
    connection = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
    if (!connection) fail("there is no bus");
    dbus_connection_set_exit_on_disconnect(connection, FALSE);
    if (strcmp(row, "scan")) call_and_wait(method(DEVICE, "org.bluez.Device1", "Connect"));
    if (!strcmp(row, "read")) call_and_wait(write_call(VALUE, value, SIZE));
    subscribe("type='signal',sender='org.bluez',interface='" PROPERTIES
              "',member='PropertiesChanged',path_namespace='/org/bluez'");
    subscribe("type='signal',sender='org.bluez',interface='" MANAGER "',path='/'");
    if (!strcmp(row, "notify")) call_and_wait(method(NOTIFIER, CHARACTERISTIC, "StartNotify"));

    loop = g_main_loop_new(NULL, FALSE);
    source = g_source_new(&functions, sizeof(GSource));
    g_source_attach(source, NULL);
    dbus_connection_add_filter(connection, filter, NULL, NULL);
    dbus_connection_set_watch_functions(connection, add, leave, toggle, NULL, NULL);
    puts("ready");
    fflush(stdout);
    getchar();
    begin();
    g_main_loop_run(loop);
    return 0;
}
