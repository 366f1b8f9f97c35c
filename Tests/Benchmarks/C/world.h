// world.h: the object paths of bluetoothd.c.
#pragma once
#define ADAPTER "/org/bluez/hci0"
#define DEVICE ADAPTER "/dev_C0_00_00_00_00_01"
#define VALUE DEVICE "/service0001/char0002"
#define NOTIFIER DEVICE "/service0001/char0004"
#define CONTROL DEVICE "/service0001/char0007"
#define COMMANDS DEVICE "/service0001/char0009"
#define LAST_ADVERTISER ADAPTER "/dev_EE_EE_EE_EE_EE_EE"
#define CHARACTERISTIC "org.bluez.GattCharacteristic1"
#define PROPERTIES "org.freedesktop.DBus.Properties"
#define MANAGER "org.freedesktop.DBus.ObjectManager"
#define MAXIMUM 512

#include <stdint.h>
#include <string.h>

// Builds the value for CONTROL that requests `count` notifications of `size` bytes.
static inline void order(uint8_t command[7], long count, int size) {
    uint32_t number = count;
    uint16_t length = size;
    command[0] = 'N';
    memcpy(command + 1, &number, sizeof number);
    memcpy(command + 5, &length, sizeof length);
}

// Counts notifications that are numbered from 0.
typedef struct {
    uint32_t expected;
    long lost;
} Numbers;

static inline void take_number(Numbers *numbers, const uint8_t *value) {
    uint32_t number;
    memcpy(&number, value, sizeof number);
    if (number > numbers->expected) numbers->lost += number - numbers->expected;
    if (number < numbers->expected) numbers->lost--; // It was counted as lost, but was only late.
    else numbers->expected = number + 1;
}
