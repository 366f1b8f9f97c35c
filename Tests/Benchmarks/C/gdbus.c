// gdbus.c: the same through GDBus, on a GLib main loop.
//
//     gdbus read|write|command|notify|scan|startup COUNT [SIZE]
//
// It prints `ready` after the setup, waits for a line, runs the row and prints its cost.
#include "measure.h"
#include "world.h"
#include <gio/gio.h>

static GDBusConnection *connection;
static GMainLoop *loop;
static const char *row;
static long count, done, reports;
static int size = 20;
static double started;
static uint8_t value[MAXIMUM], payload[MAXIMUM];
static Numbers numbers;

static int is(const char *name) { return !strcmp(row, name); }

static void fail(const char *text) {
    fprintf(stderr, "gdbus: %s\n", text);
    exit(1);
}

static void finish(void) {
    measure_end();
    g_main_loop_quit(loop);
}

static GVariant *write_arguments(const void *bytes, int length, const char *type) {
    GVariantBuilder options;
    g_variant_builder_init(&options, G_VARIANT_TYPE("a{sv}"));
    g_variant_builder_add(&options, "{sv}", "type", g_variant_new_string(type));
    GVariant *array = g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes, length, 1);
    return g_variant_new("(@aya{sv})", array, &options);
}

static GVariant *call_and_wait(
    const char *path, const char *interface, const char *member, GVariant *arguments) {
    GError *error = NULL;
    GVariant *reply = g_dbus_connection_call_sync(
        connection, "org.bluez", path, interface, member, arguments, NULL, 0, 60000, NULL, &error);
    if (!reply) fail(error->message);
    return reply;
}

static void do_and_wait(
    const char *path, const char *interface, const char *member, GVariant *arguments) {
    g_variant_unref(call_and_wait(path, interface, member, arguments));
}

static void call(
    const char *path,
    const char *interface,
    const char *member,
    GVariant *arguments,
    GAsyncReadyCallback answered) {
    g_dbus_connection_call(
        connection, "org.bluez", path, interface, member, arguments, NULL, 0, 60000, NULL, answered,
        NULL);
}

static void take(GVariant *array) {
    gsize length;
    const void *bytes = g_variant_get_fixed_array(array, &length, 1);
    if ((int)length != size) fail("a value has the wrong size");
    memcpy(value, bytes, length);
}

static void step(void);

static void answered(GObject *object, GAsyncResult *result, gpointer data) {
    (void)object;
    (void)data;
    GError *error = NULL;
    GVariant *reply = g_dbus_connection_call_finish(connection, result, &error);
    if (!reply) fail(error->message);
    if (is("read")) {
        GVariant *array = g_variant_get_child_value(reply, 0);
        take(array);
        g_variant_unref(array);
    }
    g_variant_unref(reply);
    measure_latency(started);
    if (++done == count) finish();
    else step();
}

static void step(void) {
    started = measure_start();
    if (is("read"))
        return call(
            VALUE, CHARACTERISTIC, "ReadValue", g_variant_new("(a{sv})", NULL), answered);
    GVariant *arguments = write_arguments(payload, size, is("write") ? "request" : "command");
    call(VALUE, CHARACTERISTIC, "WriteValue", arguments, answered);
}

static void notified(
    GDBusConnection *own,
    const char *sender,
    const char *path,
    const char *interface,
    const char *member,
    GVariant *arguments,
    gpointer data) {
    (void)own, (void)sender, (void)interface, (void)member, (void)data;
    if (strcmp(path, NOTIFIER)) return;
    GVariant *properties = g_variant_get_child_value(arguments, 1);
    GVariant *array = g_variant_lookup_value(properties, "Value", G_VARIANT_TYPE("ay"));
    g_variant_unref(properties);
    if (!array) return;
    take(array);
    g_variant_unref(array);
    take_number(&numbers, value);
    if (numbers.expected == count) finish();
}

static void walk(GVariant *variant) {
    if (!g_variant_is_container(variant)) return;
    gsize children = g_variant_n_children(variant);
    for (gsize i = 0; i < children; i++) {
        GVariant *child = g_variant_get_child_value(variant, i);
        walk(child);
        g_variant_unref(child);
    }
}

static void reported(
    GDBusConnection *own,
    const char *sender,
    const char *path,
    const char *interface,
    const char *member,
    GVariant *arguments,
    gpointer data) {
    (void)own, (void)sender, (void)interface, (void)member, (void)data;
    walk(arguments);
    reports++;
    if (strcmp(path, "/")) return;
    const char *added;
    g_variant_get_child(arguments, 0, "&o", &added);
    if (!strcmp(added, LAST_ADVERTISER)) finish();
}

static void subscribe(
    const char *interface, const char *member, const char *path, GDBusSignalCallback handler) {
    g_dbus_connection_signal_subscribe(
        connection, "org.bluez", interface, member, path, NULL, 0, handler, NULL, NULL);
}

static void open_bus(void) {
    GError *error = NULL;
    connection = g_dbus_connection_new_for_address_sync(
        getenv("DBUS_SYSTEM_BUS_ADDRESS"),
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
            | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
        NULL, NULL, &error);
    if (!connection) fail(error->message);
}

static void set_up(void) {
    open_bus();
    if (is("scan")) {
        subscribe(PROPERTIES, "PropertiesChanged", NULL, reported);
        return subscribe(MANAGER, NULL, "/", reported);
    }
    do_and_wait(DEVICE, "org.bluez.Device1", "Connect", NULL);
    if (is("read"))
        do_and_wait(VALUE, CHARACTERISTIC, "WriteValue", write_arguments(payload, size, "request"));
    if (!is("notify")) return;
    subscribe(PROPERTIES, "PropertiesChanged", NULL, notified);
    do_and_wait(NOTIFIER, CHARACTERISTIC, "StartNotify", NULL);
}

static void start_up(void) {
    started = measure_start();
    open_bus();
    GVariant *objects = call_and_wait("/", MANAGER, "GetManagedObjects", NULL);
    walk(objects);
    measure_latency(started);
    measure_end();
}

static void begin(void) {
    if (is("scan")) return call(ADAPTER, "org.bluez.Adapter1", "StartDiscovery", NULL, NULL);
    if (!is("notify")) return step();
    uint8_t command[7];
    order(command, count, size);
    GVariant *arguments = write_arguments(command, sizeof command, "request");
    call(CONTROL, CHARACTERISTIC, "WriteValue", arguments, NULL);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    row = argv[1];
    count = atol(argv[2]);
    if (argc > 3) size = atoi(argv[3]);
    if (!strstr("read write command notify scan startup", row)) {
        puts("cannot: the row is not written for it");
        return 0;
    }
    for (int i = 0; i < MAXIMUM; i++) payload[i] = i;
    loop = g_main_loop_new(NULL, FALSE);
    if (!is("startup")) set_up();
    measure_wait_and_begin(count);
    if (is("startup")) {
        start_up();
    } else {
        begin();
        g_main_loop_run(loop);
    }
    measure_report(is("scan") ? reports : count, numbers.lost);
    return 0;
}
