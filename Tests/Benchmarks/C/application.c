// application.c: the baseline for the library's server, a GATT application in raw libdbus.
//
//     application serve|notify COUNT [SIZE]
//
// It prints `ready`, waits for a line, and registers a value to read and write and one to subscribe to.
// Then it answers the calls of bluetoothd (COUNT of them) or sends COUNT values to its subscriber, and exits
// when the subscriber leaves. The measurement covers the time of the subscription.
#include "measure.h"
#include "world.h"
#include <dbus/dbus.h>

#define UUID(number) "12345678-1234-5678-1234-56789abcdef" number
#define BATCH 100

static DBusConnection *connection;
static uint8_t value[MAXIMUM];
static int size = 20;
static int is_notifying, has_listener;
static long count, sent;

static void text(DBusMessageIter *all, const char *text) {
    dbus_message_iter_append_basic(all, 's', &text);
}

static void open_property(
    DBusMessageIter *properties,
    const char *name,
    const char *type,
    DBusMessageIter *entry,
    DBusMessageIter *variant) {
    dbus_message_iter_open_container(properties, 'e', NULL, entry);
    text(entry, name);
    dbus_message_iter_open_container(entry, 'v', type, variant);
}

static void close_property(
    DBusMessageIter *properties, DBusMessageIter *entry, DBusMessageIter *variant) {
    dbus_message_iter_close_container(entry, variant);
    dbus_message_iter_close_container(properties, entry);
}

static void bytes(DBusMessageIter *all) {
    DBusMessageIter array;
    const uint8_t *start = value;
    dbus_message_iter_open_container(all, 'a', "y", &array);
    dbus_message_iter_append_fixed_array(&array, 'y', &start, size);
    dbus_message_iter_close_container(all, &array);
}

static void attributes(DBusMessageIter *properties, const char *uuid, const char **flags) {
    DBusMessageIter entry, variant, array;
    open_property(properties, "UUID", "s", &entry, &variant);
    text(&variant, uuid);
    close_property(properties, &entry, &variant);
    if (!flags) {
        dbus_bool_t primary = TRUE;
        open_property(properties, "Primary", "b", &entry, &variant);
        dbus_message_iter_append_basic(&variant, 'b', &primary);
        close_property(properties, &entry, &variant);
        return;
    }
    const char *service = "/app/s";
    open_property(properties, "Service", "o", &entry, &variant);
    dbus_message_iter_append_basic(&variant, 'o', &service);
    close_property(properties, &entry, &variant);
    open_property(properties, "Flags", "as", &entry, &variant);
    dbus_message_iter_open_container(&variant, 'a', "s", &array);
    for (; *flags; flags++) text(&array, *flags);
    dbus_message_iter_close_container(&variant, &array);
    close_property(properties, &entry, &variant);
}

static void object(
    DBusMessageIter *objects,
    const char *path,
    const char *interface,
    const char *uuid,
    const char **flags) {
    DBusMessageIter entry, interfaces, inner, properties;
    dbus_message_iter_open_container(objects, 'e', NULL, &entry);
    dbus_message_iter_append_basic(&entry, 'o', &path);
    dbus_message_iter_open_container(&entry, 'a', "{sa{sv}}", &interfaces);
    dbus_message_iter_open_container(&interfaces, 'e', NULL, &inner);
    text(&inner, interface);
    dbus_message_iter_open_container(&inner, 'a', "{sv}", &properties);
    attributes(&properties, uuid, flags);
    dbus_message_iter_close_container(&inner, &properties);
    dbus_message_iter_close_container(&interfaces, &inner);
    dbus_message_iter_close_container(&entry, &interfaces);
    dbus_message_iter_close_container(objects, &entry);
}

static void tree(DBusMessageIter *all) {
    const char *plain[] = {"read", "write", NULL}, *notifying[] = {"notify", NULL};
    DBusMessageIter objects;
    dbus_message_iter_open_container(all, 'a', "{oa{sa{sv}}}", &objects);
    object(&objects, "/app/s", "org.bluez.GattService1", UUID("0"), NULL);
    object(&objects, "/app/s/r", CHARACTERISTIC, UUID("1"), plain);
    object(&objects, "/app/s/n", CHARACTERISTIC, UUID("2"), notifying);
    dbus_message_iter_close_container(all, &objects);
}

// Reads the options, as every application must.
static void look_at(DBusMessageIter *options) {
    DBusMessageIter entry;
    dbus_message_iter_recurse(options, &entry);
    while (dbus_message_iter_get_arg_type(&entry)) dbus_message_iter_next(&entry);
}

static void notify(void) {
    DBusMessage *message = dbus_message_new_signal("/app/s/n", PROPERTIES, "PropertiesChanged");
    DBusMessageIter all, properties, entry, variant;
    uint32_t number = sent++;
    memcpy(value, &number, sizeof number);
    dbus_message_iter_init_append(message, &all);
    text(&all, CHARACTERISTIC);
    dbus_message_iter_open_container(&all, 'a', "{sv}", &properties);
    open_property(&properties, "Value", "ay", &entry, &variant);
    bytes(&variant);
    close_property(&properties, &entry, &variant);
    dbus_message_iter_close_container(&all, &properties);
    dbus_message_iter_open_container(&all, 'a', "s", &properties);
    dbus_message_iter_close_container(&all, &properties);
    dbus_connection_send(connection, message, NULL);
    dbus_message_unref(message);
}

static void listener_gone(void) {
    measure_end();
    dbus_connection_flush(connection);
    measure_report(count, 0);
    exit(0);
}

static DBusHandlerResult filter(DBusConnection *own, DBusMessage *message, void *data) {
    (void)own;
    (void)data;
    if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL)
        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    const char *name = dbus_message_get_member(message);
    DBusMessage *reply = dbus_message_new_method_return(message);
    DBusMessageIter asked, answer, array;
    dbus_message_iter_init_append(reply, &answer);
    if (!strcmp(name, "GetManagedObjects")) {
        tree(&answer);
    } else if (!strcmp(name, "ReadValue")) {
        dbus_message_iter_init(message, &asked);
        look_at(&asked);
        bytes(&answer);
    } else if (!strcmp(name, "WriteValue")) {
        const uint8_t *start;
        int length;
        dbus_message_iter_init(message, &asked);
        dbus_message_iter_recurse(&asked, &array);
        dbus_message_iter_get_fixed_array(&array, &start, &length);
        if (length <= MAXIMUM) memcpy(value, start, length);
        dbus_message_iter_next(&asked);
        look_at(&asked);
    }
    dbus_connection_send(connection, reply, NULL);
    dbus_message_unref(reply);
    if (!strcmp(name, "StartNotify")) {
        measure_begin();
        has_listener = 1;
    }
    if (!strcmp(name, "StopNotify")) listener_gone();
    return DBUS_HANDLER_RESULT_HANDLED;
}

static void register_application(void) {
    DBusMessage *message = dbus_message_new_method_call(
        "org.bluez", ADAPTER, "org.bluez.GattManager1", "RegisterApplication");
    const char *root = "/app";
    DBusMessageIter all, options;
    dbus_message_iter_init_append(message, &all);
    dbus_message_iter_append_basic(&all, 'o', &root);
    dbus_message_iter_open_container(&all, 'a', "{sv}", &options);
    dbus_message_iter_close_container(&all, &options);
    dbus_connection_send(connection, message, NULL);
    dbus_message_unref(message);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    is_notifying = !strcmp(argv[1], "notify");
    count = atol(argv[2]);
    if (argc > 3) size = atoi(argv[3]);
    connection = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
    if (!connection) return 1;
    dbus_connection_set_exit_on_disconnect(connection, FALSE);
    dbus_connection_add_filter(connection, filter, NULL, NULL);
    measure_wait_and_begin(0);
    register_application();
    for (;;) {
        int is_busy = is_notifying && has_listener && sent < count;
        if (!dbus_connection_read_write(connection, is_busy ? 0 : -1)) return 1;
        while (dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS) {}
        if (!is_busy) continue;
        for (int i = 0; i < BATCH && sent < count; i++) notify();
    }
}
