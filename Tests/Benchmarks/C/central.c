// central.c: the baseline for the library, raw libdbus: blocking calls, or DBusPendingCall on a
// GLib main loop.
//
//     central block|glib ROW COUNT [SIZE]
//
//     read write command      one operation after the other, on a value of SIZE bytes
//     notify                  COUNT notifications of SIZE bytes, as fast as possible
//     answer                  one notification per write, COUNT times
//     links                   reads on two devices at once, COUNT on each
//     scan                    reports until the last device
//     connect                 connect, resolve the services, disconnect, COUNT times
//     startup                 a new connection to the bus, and all objects of bluetoothd
//     idle                    subscribes, prints `idle`, and waits for its end
//     fdwrite fdnotify        the same by descriptor, blocking
//
// It prints `ready` after the setup, waits for a line, runs the row and prints its cost. Every received value
// is read, as far as a program must.
#include "foreign.h"
#include "loop.h"
#include "measure.h"
#include "world.h"
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

static const char *row;
static int is_blocking;
static long count, done, reports;
static int size = 20;
static uint8_t value[MAXIMUM], payload[MAXIMUM];
static double started;
static Numbers numbers;
static int is_finished;

static int is(const char *name) { return !strcmp(row, name); }

static void fail(const char *text) {
    fprintf(stderr, "central: %s\n", text);
    exit(1);
}

static void cannot(const char *reason) {
    printf("cannot: %s\n", reason);
    exit(0);
}

static void finish(void) {
    measure_end();
    is_finished = 1;
    if (!is_blocking) g_main_loop_quit(loop);
}

// ---- Messages -----------------------------------------------------------------------------------

static DBusMessage *method(const char *path, const char *interface, const char *member) {
    return dbus_message_new_method_call("org.bluez", path, interface, member);
}

static DBusMessage *method_with_options(const char *path, const char *member) {
    DBusMessage *message = method(path, CHARACTERISTIC, member);
    DBusMessageIter all, options;
    dbus_message_iter_init_append(message, &all);
    dbus_message_iter_open_container(&all, 'a', "{sv}", &options);
    dbus_message_iter_close_container(&all, &options);
    return message;
}

static DBusMessage *read_call(const char *path) { return method_with_options(path, "ReadValue"); }

static DBusMessage *write_call(const char *path, const void *bytes, int length, const char *type) {
    DBusMessage *message = method(path, CHARACTERISTIC, "WriteValue");
    const char *key = "type";
    DBusMessageIter all, array, entry, variant;
    dbus_message_iter_init_append(message, &all);
    dbus_message_iter_open_container(&all, 'a', "y", &array);
    dbus_message_iter_append_fixed_array(&array, 'y', &bytes, length);
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

static DBusMessage *order_call(long notifications) {
    uint8_t command[7];
    order(command, notifications, size);
    return write_call(places.control, command, sizeof command, "request");
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

static DBusMessage *call_and_wait(DBusMessage *message) {
    DBusError error = DBUS_ERROR_INIT;
    DBusMessage *reply =
        dbus_connection_send_with_reply_and_block(connection, message, 60000, &error);
    if (!reply) fail(error.message);
    dbus_message_unref(message);
    return reply;
}

static void do_and_wait(DBusMessage *message) { dbus_message_unref(call_and_wait(message)); }

static void nothing(DBusMessage *reply) { (void)reply; }

// Sends a message and ignores the reply.
static void send_away(DBusMessage *message) {
    if (!is_blocking) return call(message, nothing);
    dbus_connection_send(connection, message, NULL);
    dbus_message_unref(message);
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

// ---- Reads and writes ---------------------------------------------------------------------------

static void take(DBusMessageIter *array) {
    DBusMessageIter bytes;
    const uint8_t *start;
    int length;
    dbus_message_iter_recurse(array, &bytes);
    dbus_message_iter_get_fixed_array(&bytes, &start, &length);
    if (length != size) fail("a value has the wrong size");
    memcpy(value, start, length);
}

static void take_reply(DBusMessage *reply) {
    if (!is("read")) return;
    DBusMessageIter all;
    dbus_message_iter_init(reply, &all);
    take(&all);
}

static DBusMessage *next_call(void) {
    if (is("read")) return read_call(places.value);
    return write_call(places.value, payload, size, is("write") ? "request" : "command");
}

static void step(DBusMessage *reply) {
    if (reply) {
        take_reply(reply);
        measure_latency(started);
        if (++done == count) return finish();
    }
    started = measure_start();
    call(next_call(), step);
}

static void repeat_blocking(void) {
    for (; done < count; done++) {
        started = measure_start();
        DBusMessage *reply = call_and_wait(next_call());
        take_reply(reply);
        dbus_message_unref(reply);
        measure_latency(started);
    }
    finish();
}

// ---- Two links ----------------------------------------------------------------------------------

static const char *const link_values[2] = {
    VALUE, ADAPTER "/dev_C0_00_00_00_00_02/service0001/char0002"};
static long link_done[2];

static void link_step(int link, DBusMessage *reply);
static void first_link(DBusMessage *reply) { link_step(0, reply); }
static void second_link(DBusMessage *reply) { link_step(1, reply); }

static void link_step(int link, DBusMessage *reply) {
    if (reply) {
        DBusMessageIter all;
        dbus_message_iter_init(reply, &all);
        take(&all);
        if (++done == 2 * count) return finish();
        if (++link_done[link] == count) return;
    }
    call(read_call(link_values[link]), link ? second_link : first_link);
}

// ---- Notifications ------------------------------------------------------------------------------

static void ask_again(void) {
    measure_latency(started);
    if (++done == count) return finish();
    numbers.expected = 0;
    started = measure_start();
    send_away(order_call(1));
}

static void notified(DBusMessage *message) {
    if (!dbus_message_is_signal(message, PROPERTIES, "PropertiesChanged")) return;
    if (strcmp(dbus_message_get_path(message), places.notifier)) return;
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
        if (is("answer")) return ask_again();
        take_number(&numbers, value);
        if (numbers.expected == count) finish();
    }
}

// ---- Scanning -----------------------------------------------------------------------------------

static void reported(DBusMessage *message) {
    DBusMessageIter all;
    const char *text;
    dbus_message_iter_init(message, &all);
    if (dbus_message_is_signal(message, MANAGER, "InterfacesAdded")) {
        dbus_message_iter_get_basic(&all, &text);
        dbus_message_iter_next(&all);
        walk(&all);
        reports++;
        if (!strcmp(text, LAST_ADVERTISER)) finish();
    } else if (dbus_message_is_signal(message, PROPERTIES, "PropertiesChanged")) {
        dbus_message_iter_get_basic(&all, &text);
        if (strcmp(text, "org.bluez.Device1")) return;
        walk(&all);
        reports++;
    }
}

// ---- Connecting ---------------------------------------------------------------------------------

static int is_resolved, is_connected;

static void note_link(const char *key, DBusMessageIter *variant) {
    dbus_bool_t state;
    if (strcmp(key, "ServicesResolved") && strcmp(key, "Connected")) return;
    dbus_message_iter_get_basic(variant, &state);
    if (!strcmp(key, "Connected")) is_connected = state;
    else is_resolved = state;
}

static void note_link_changes(DBusMessage *message) {
    if (!dbus_message_is_signal(message, PROPERTIES, "PropertiesChanged")) return;
    if (strcmp(dbus_message_get_path(message), DEVICE)) return;
    DBusMessageIter all, entries, entry, variant;
    const char *key;
    dbus_message_iter_init(message, &all);
    dbus_message_iter_next(&all);
    dbus_message_iter_recurse(&all, &entries);
    for (; dbus_message_iter_get_arg_type(&entries); dbus_message_iter_next(&entries)) {
        dbus_message_iter_recurse(&entries, &entry);
        dbus_message_iter_get_basic(&entry, &key);
        dbus_message_iter_next(&entry);
        dbus_message_iter_recurse(&entry, &variant);
        note_link(key, &variant);
    }
}

static DBusMessage *objects_call(void) { return method("/", MANAGER, "GetManagedObjects"); }

static void take_objects(DBusMessage *reply) {
    DBusMessageIter all;
    dbus_message_iter_init(reply, &all);
    walk(&all);
}

static void connect_step(void);

static void got_services(DBusMessage *reply) {
    take_objects(reply);
    measure_latency(started);
    call(method(DEVICE, "org.bluez.Device1", "Disconnect"), nothing);
}

// Handles each signal: the properties of the device show whether it is resolved or disconnected.
static void link_changed(DBusMessage *message) {
    int was_resolved = is_resolved, was_connected = is_connected;
    note_link_changes(message);
    if (is_blocking) return;
    if (is_resolved && !was_resolved) call(objects_call(), got_services);
    if (was_connected && !is_connected) {
        if (++done == count) finish();
        else connect_step();
    }
}

static void connect_step(void) {
    started = measure_start();
    call(method(DEVICE, "org.bluez.Device1", "Connect"), nothing);
}

static void dispatch_once(void) {
    dbus_connection_read_write(connection, -1);
    while (dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS) {}
}

static void connect_blocking(void) {
    for (; done < count; done++) {
        started = measure_start();
        do_and_wait(method(DEVICE, "org.bluez.Device1", "Connect"));
        while (!is_resolved) dispatch_once();
        DBusMessage *objects = call_and_wait(objects_call());
        take_objects(objects);
        dbus_message_unref(objects);
        measure_latency(started);
        do_and_wait(method(DEVICE, "org.bluez.Device1", "Disconnect"));
        while (is_connected) dispatch_once();
    }
    finish();
}

// ---- By descriptor ------------------------------------------------------------------------------

static int acquire(void) {
    DBusMessage *reply = call_and_wait(
        is("fdwrite") ? method_with_options(places.commands, "AcquireWrite")
                      : method_with_options(places.notifier, "AcquireNotify"));
    int descriptor = -1;
    uint16_t packet;
    dbus_message_get_args(
        reply, NULL, DBUS_TYPE_UNIX_FD, &descriptor, DBUS_TYPE_UINT16, &packet, DBUS_TYPE_INVALID);
    dbus_message_unref(reply);
    if (descriptor < 0) fail("there is no descriptor");
    return descriptor;
}

static void wait_for(int descriptor, short events) {
    struct pollfd one = {descriptor, events, 0};
    poll(&one, 1, 1000);
}

static void use_descriptor(int descriptor) {
    if (is("fdnotify")) send_away(order_call(count));
    for (; done < count; done++) {
        if (is("fdwrite")) {
            while (send(descriptor, payload, size, MSG_DONTWAIT) < 0) wait_for(descriptor, POLLOUT);
            continue;
        }
        while (recv(descriptor, value, MAXIMUM, MSG_DONTWAIT) < 0) {
            dbus_connection_flush(connection);
            wait_for(descriptor, POLLIN);
        }
        take_number(&numbers, value);
    }
    finish();
}

// ---- The rows -----------------------------------------------------------------------------------

static void signalled(DBusMessage *message) {
    if (is("notify") || is("answer")) notified(message);
    if (is("scan")) reported(message);
    if (is("connect")) link_changed(message);
}

static DBusHandlerResult filter(DBusConnection *own, DBusMessage *message, void *data) {
    (void)own;
    (void)data;
    if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_SIGNAL)
        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    signalled(message);
    return DBUS_HANDLER_RESULT_HANDLED;
}

static void subscribe(void) {
    dbus_bus_add_match(
        connection,
        "type='signal',sender='org.bluez',interface='" PROPERTIES
        "',member='PropertiesChanged',path_namespace='/org/bluez'",
        NULL);
    dbus_bus_add_match(
        connection, "type='signal',sender='org.bluez',interface='" MANAGER "',path='/'", NULL);
}

static void open_bus(void) {
    connection = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
    if (!connection) fail("there is no bus");
    dbus_connection_set_exit_on_disconnect(connection, FALSE);
    dbus_connection_set_max_message_size(connection, 128 << 20);
    dbus_connection_add_filter(connection, filter, NULL, NULL);
}

static void set_up(void) {
    open_bus();
    if (getenv("BENCHMARK_PEER")) find_places(connection, getenv("BENCHMARK_PEER"));
    else if (!is("scan") && !is("connect"))
        do_and_wait(method(DEVICE, "org.bluez.Device1", "Connect"));
    if (is("links")) {
        do_and_wait(method(ADAPTER "/dev_C0_00_00_00_00_02", "org.bluez.Device1", "Connect"));
        do_and_wait(write_call(link_values[1], payload, size, "request"));
    }
    if (is("read") || is("links")) do_and_wait(write_call(places.value, payload, size, "request"));
    subscribe();
    if (is("notify") || is("answer") || is("idle"))
        do_and_wait(method(places.notifier, CHARACTERISTIC, "StartNotify"));
    if (!is_blocking) attach_to_loop();
}

static void got_all(DBusMessage *reply) {
    take_objects(reply);
    measure_latency(started);
    finish();
}

static void start_up(void) {
    started = measure_start();
    open_bus();
    subscribe();
    if (!is_blocking) {
        attach_to_loop();
        return call(objects_call(), got_all);
    }
    got_all(call_and_wait(objects_call()));
}

static void begin(void) {
    if (is("startup")) return start_up();
    if (is("scan")) return send_away(method(ADAPTER, "org.bluez.Adapter1", "StartDiscovery"));
    if (is("notify")) return send_away(order_call(count));
    if (is("answer")) {
        started = measure_start();
        return send_away(order_call(1));
    }
    if (is("idle")) {
        puts("idle");
        fflush(stdout);
        return;
    }
    if (is("connect")) return is_blocking ? connect_blocking() : connect_step();
    if (is("links")) {
        first_link(NULL);
        return second_link(NULL);
    }
    is_blocking ? repeat_blocking() : step(NULL);
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    is_blocking = !strcmp(argv[1], "block");
    row = argv[2];
    count = atol(argv[3]);
    if (argc > 4) size = atoi(argv[4]);
    for (int i = 0; i < MAXIMUM; i++) payload[i] = i;
    int is_by_descriptor = is("fdwrite") || is("fdnotify"), descriptor = -1;
    if (is_blocking && is("links")) cannot("one call blocks the other link");
    if (!is_blocking && is_by_descriptor) cannot("it is done blocking");
    if (!is("startup")) set_up();
    if (is_by_descriptor) descriptor = acquire();
    measure_wait_and_begin(count);
    if (is_by_descriptor) use_descriptor(descriptor);
    else begin();
    while (is_blocking && !is_finished) dispatch_once();
    if (!is_blocking) g_main_loop_run(loop);
    measure_report(is("scan") ? reports : is("links") ? 2 * count : count, numbers.lost);
    return 0;
}
