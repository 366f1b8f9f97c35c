// foreign.h: a bluetoothd other than bluetoothd.c, where the device must be found first. BENCHMARK_PEER is
// its address; it has the services of bluetoothd.c at other paths.
#pragma once
#include "world.h"
#include <dbus/dbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    char device[256], value[256], notifier[256], control[256], commands[256];
} Places;

static Places places = {DEVICE, VALUE, NOTIFIER, CONTROL, COMMANDS};

static DBusMessage *try_call(DBusConnection *bus, DBusMessage *message) {
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, 60000, NULL);
    dbus_message_unref(message);
    return reply;
}

// Returns the UUID of a characteristic from its interfaces.
static const char *uuid_of(DBusMessageIter *interfaces) {
    DBusMessageIter interface, properties, entry, variant;
    const char *text;
    for (; dbus_message_iter_get_arg_type(interfaces); dbus_message_iter_next(interfaces)) {
        dbus_message_iter_recurse(interfaces, &interface);
        dbus_message_iter_get_basic(&interface, &text);
        if (strcmp(text, CHARACTERISTIC)) continue;
        dbus_message_iter_next(&interface);
        dbus_message_iter_recurse(&interface, &properties);
        for (; dbus_message_iter_get_arg_type(&properties); dbus_message_iter_next(&properties)) {
            dbus_message_iter_recurse(&properties, &entry);
            dbus_message_iter_get_basic(&entry, &text);
            if (strcmp(text, "UUID")) continue;
            dbus_message_iter_next(&entry);
            dbus_message_iter_recurse(&entry, &variant);
            dbus_message_iter_get_basic(&variant, &text);
            return text;
        }
    }
    return NULL;
}

static void note_place(const char *path, const char *uuid) {
    if (strncmp(path, places.device, strlen(places.device))) return;
    char *found = NULL;
    switch (uuid[strlen(uuid) - 1]) {
    case '1': found = places.value; break;
    case '2': found = places.notifier; break;
    case '4': found = places.control; break;
    case '5': found = places.commands; break;
    }
    if (found && !strncmp(uuid, "12345678-1234", 13)) snprintf(found, 256, "%s", path);
}

static void note_places(DBusMessage *reply) {
    DBusMessageIter all, objects, object, interfaces;
    dbus_message_iter_init(reply, &all);
    dbus_message_iter_recurse(&all, &objects);
    for (; dbus_message_iter_get_arg_type(&objects); dbus_message_iter_next(&objects)) {
        const char *path;
        dbus_message_iter_recurse(&objects, &object);
        dbus_message_iter_get_basic(&object, &path);
        dbus_message_iter_next(&object);
        dbus_message_iter_recurse(&object, &interfaces);
        const char *uuid = uuid_of(&interfaces);
        if (uuid) note_place(path, uuid);
    }
}

// Finds the device, connects, and waits until its characteristics are resolved.
static void find_places(DBusConnection *bus, const char *address) {
    memset(&places, 0, sizeof places);
    snprintf(places.device, sizeof places.device, ADAPTER "/dev_%s", address);
    for (char *c = places.device; *c; c++)
        if (*c == ':') *c = '_';
    DBusMessage *reply = try_call(
        bus, dbus_message_new_method_call("org.bluez", ADAPTER, "org.bluez.Adapter1",
                                          "StartDiscovery"));
    if (reply) dbus_message_unref(reply);
    int is_connected = 0;
    for (int i = 0; i < 600 && !*places.control; i++) {
        usleep(100000);
        if (!is_connected) {
            reply = try_call(bus, dbus_message_new_method_call("org.bluez", places.device,
                                                               "org.bluez.Device1", "Connect"));
            is_connected = reply != NULL;
            if (reply) dbus_message_unref(reply);
        }
        reply = try_call(bus, dbus_message_new_method_call("org.bluez", "/", MANAGER,
                                                           "GetManagedObjects"));
        if (!reply) continue;
        note_places(reply);
        dbus_message_unref(reply);
    }
    reply = try_call(
        bus, dbus_message_new_method_call("org.bluez", ADAPTER, "org.bluez.Adapter1",
                                          "StopDiscovery"));
    if (reply) dbus_message_unref(reply);
}
