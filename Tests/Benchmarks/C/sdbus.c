// sdbus.c: the same through sd-bus, blocking: the cheapest D-Bus client in C.
//
//     sdbus read|write|command|notify COUNT [SIZE]
//
// It prints `ready` after the setup, waits for a line, runs the row and prints its cost.
#include "measure.h"
#include "world.h"
#include <systemd/sd-bus.h>

static sd_bus *bus;
static const char *row;
static long count;
static int size = 20;
static uint8_t value[MAXIMUM], payload[MAXIMUM];
static Numbers numbers;

static int is(const char *name) { return !strcmp(row, name); }

static void check(int result, const char *what) {
    if (result >= 0) return;
    fprintf(stderr, "sdbus: %s: %s\n", what, strerror(-result));
    exit(1);
}

static void take(sd_bus_message *message) {
    const void *bytes;
    size_t length;
    check(sd_bus_message_read_array(message, 'y', &bytes, &length), "value");
    if ((int)length != size) check(-5, "size of a value");
    memcpy(value, bytes, length);
}

static int notified(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)data;
    (void)error;
    const char *text;
    if (strcmp(sd_bus_message_get_path(message), NOTIFIER)) return 0;
    sd_bus_message_read(message, "s", &text);
    sd_bus_message_enter_container(message, 'a', "{sv}");
    while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
        sd_bus_message_read(message, "s", &text);
        if (strcmp(text, "Value")) {
            sd_bus_message_skip(message, "v");
        } else {
            sd_bus_message_enter_container(message, 'v', "ay");
            take(message);
            take_number(&numbers, value);
            sd_bus_message_exit_container(message);
        }
        sd_bus_message_exit_container(message);
    }
    return 1;
}

static void write_value(const char *path, const void *bytes, int length, const char *type) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *message, *reply;
    check(sd_bus_message_new_method_call(bus, &message, "org.bluez", path, CHARACTERISTIC,
                                         "WriteValue"), "message");
    sd_bus_message_append_array(message, 'y', bytes, length);
    sd_bus_message_append(message, "a{sv}", 1, "type", "s", type);
    check(sd_bus_call(bus, message, 60000000, &error, &reply), "write");
    sd_bus_message_unref(message);
    sd_bus_message_unref(reply);
}

static void read_value(void) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply;
    check(sd_bus_call_method(bus, "org.bluez", VALUE, CHARACTERISTIC, "ReadValue", &error, &reply,
                             "a{sv}", 0), "read");
    take(reply);
    sd_bus_message_unref(reply);
}

static void do_call(const char *path, const char *interface, const char *member) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    check(sd_bus_call_method(bus, "org.bluez", path, interface, member, &error, NULL, NULL), member);
}

static void set_up(void) {
    check(sd_bus_open_system(&bus), "bus");
    do_call(DEVICE, "org.bluez.Device1", "Connect");
    if (is("read")) write_value(VALUE, payload, size, "request");
    if (!is("notify")) return;
    sd_bus_match_signal(bus, NULL, "org.bluez", NULL, PROPERTIES, "PropertiesChanged", notified, NULL);
    do_call(NOTIFIER, CHARACTERISTIC, "StartNotify");
}

static void listen_to_all(void) {
    uint8_t command[7];
    order(command, count, size);
    write_value(CONTROL, command, sizeof command, "request");
    while (numbers.expected < count)
        if (sd_bus_process(bus, NULL) == 0) sd_bus_wait(bus, UINT64_MAX);
}

static void repeat(void) {
    for (long i = 0; i < count; i++) {
        double started = measure_start();
        if (is("read")) read_value();
        else write_value(VALUE, payload, size, is("write") ? "request" : "command");
        measure_latency(started);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    row = argv[1];
    count = atol(argv[2]);
    if (argc > 3) size = atoi(argv[3]);
    for (int i = 0; i < MAXIMUM; i++) payload[i] = i;
    if (!strstr("read write command notify", row)) {
        puts("cannot: the row is not written for it");
        return 0;
    }
    set_up();
    measure_wait_and_begin(count);
    if (is("notify")) listen_to_all();
    else repeat();
    measure_end();
    measure_report(count, numbers.lost);
    return 0;
}
