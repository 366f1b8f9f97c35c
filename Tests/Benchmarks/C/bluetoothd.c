// bluetoothd.c: an org.bluez that answers at once, to measure the cost of its clients and applications.
//
//     DBUS_SYSTEM_BUS_ADDRESS=unix:path=... bluetoothd [options]     a client of a dbus-daemon
//
// It writes the wire format by hand, about 1,000 instructions for a read, so that no client waits for it.
// It prints `ready` once it owns its name.
//
//     --known N         stored devices in addition to the two connectable ones; few properties each with
//                       --sparse, since one message must hold them all
//     --adv N           devices that advertise after StartDiscovery, each --rounds R times (10); the
//                       last one is named END
//     --services S --chars C
//                       extra services of the connected devices, and characteristics of each (2, 4)
//     --echo            signal the value of a read before the reply, as bluetoothd does
//     --fd              offer AcquireWrite and AcquireNotify
//     --hold            never answer a read, nor a write of ...def1
//     --connected       the first device is connected and resolved from the start
//     --drive read|write|notify N WINDOW
//                       the calls to the application that registers, WINDOW at a time
//     --listen PATH     act as the bus as well, without a daemon in between
//
// Device C0:00:00:00:00:01 (and :02), random, with service ...def0:
//
//     ...def1           read, write, write without response: holds a value
//     ...def2           notify
//     ...def4           write 'N', u32 count, u16 size: sends that many notifications on ...def2, each
//                       beginning with its number from 0 (u32, little-endian); read: u32 counts of reads,
//                       of writes with and without response, of packets by descriptor
//     ...def5           write without response, for AcquireWrite
#define _GNU_SOURCE
#include <dbus/dbus.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
static void die(const char *s) {
    perror(s);
    exit(1);
}

// ------------------------------------------------------------------ a buffer that is a message
typedef struct {
    uint8_t *p;
    size_t n, cap;
} Buf;
static void need(Buf *b, size_t k) {
    if (b->n + k > b->cap) {
        b->cap = (b->n + k) * 2 + 256;
        b->p = realloc(b->p, b->cap);
        if (!b->p) die("realloc");
    }
}
static void put(Buf *b, const void *d, size_t k) {
    need(b, k);
    memcpy(b->p + b->n, d, k);
    b->n += k;
}
static void al(Buf *b, size_t a) {
    size_t r = (a - b->n % a) % a;
    need(b, r);
    memset(b->p + b->n, 0, r);
    b->n += r;
}
static void u8(Buf *b, uint8_t v) {
    put(b, &v, 1);
}
static void u16(Buf *b, uint16_t v) {
    al(b, 2);
    put(b, &v, 2);
}
static void u32(Buf *b, uint32_t v) {
    al(b, 4);
    put(b, &v, 4);
}
static void str(Buf *b, const char *s) {
    uint32_t l = strlen(s);
    u32(b, l);
    put(b, s, l + 1);
}
static void sig(Buf *b, const char *s) {
    uint8_t l = strlen(s);
    u8(b, l);
    put(b, s, l + 1);
}
typedef struct {
    size_t len, start;
} Arr;
static Arr arr(Buf *b, size_t a) {
    u32(b, 0);
    Arr r = {b->n - 4, 0};
    al(b, a);
    r.start = b->n;
    return r;
}
static void end(Buf *b, Arr a) {
    uint32_t l = b->n - a.start;
    memcpy(b->p + a.len, &l, 4);
}
static void bytes(Buf *b, const void *d, uint32_t k) {
    u32(b, k);
    put(b, d, k);
}
// one entry of a{sv}
static void key(Buf *b, const char *k, const char *s) {
    al(b, 8);
    str(b, k);
    sig(b, s);
}
static void p_s(Buf *b, const char *k, const char *v) {
    key(b, k, "s");
    str(b, v);
}
static void p_o(Buf *b, const char *k, const char *v) {
    key(b, k, "o");
    str(b, v);
}
static void p_b(Buf *b, const char *k, int v) {
    key(b, k, "b");
    u32(b, v);
}
static void p_n(Buf *b, const char *k, int16_t v) {
    key(b, k, "n");
    u16(b, v);
}
static void p_q(Buf *b, const char *k, uint16_t v) {
    key(b, k, "q");
    u16(b, v);
}
static void p_u(Buf *b, const char *k, uint32_t v) {
    key(b, k, "u");
    u32(b, v);
}
static void p_y(Buf *b, const char *k, uint8_t v) {
    key(b, k, "y");
    u8(b, v);
}
static void p_as(Buf *b, const char *k, const char **v) {
    key(b, k, "as");
    Arr a = arr(b, 4);
    for (; *v; v++) str(b, *v);
    end(b, a);
}
static void p_ay(Buf *b, const char *k, const void *d, uint32_t n) {
    key(b, k, "ay");
    bytes(b, d, n);
}
static void p_manufacturer(Buf *b, uint16_t id, const void *d, uint32_t n) {
    key(b, "ManufacturerData", "a{qv}");
    Arr a = arr(b, 8);
    al(b, 8);
    u16(b, id);
    sig(b, "ay");
    bytes(b, d, n);
    end(b, a);
}

// ------------------------------------------------------------------ connections
typedef struct {
    int fd;
    Buf in, out;
    size_t sent, done;
    int auth;
    char name[32];
    char match;
} Conn;
static Conn conns[64];
static int nconns;
static int listening = -1;
static uint32_t serial = 1;
static const char *me = ":1.1";
static char myname[64] = ":1.1";

static void flush(Conn *c) {
    while (c->sent < c->out.n) {
        ssize_t k =
            send(c->fd, c->out.p + c->sent, c->out.n - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (k < 0) {
            if (errno == EAGAIN || errno == EINTR) return;
            c->out.n = c->sent = 0;
            return;
        }
        c->sent += k;
    }
    c->out.n = c->sent = 0;
}

// Writes the header of a message; the body follows. NULL fields are omitted.
static void head(Buf *b, int type, int flags, uint32_t reply, const char *path, const char *iface,
                 const char *member, const char *error, const char *dest, const char *s,
                 uint32_t nbody, uint32_t fds) {
    al(b, 8); // messages in one buffer begin at multiples of 8: see message()
    uint8_t h[4] = {'l', type, flags, 1};
    put(b, h, 4);
    u32(b, nbody);
    u32(b, serial++);
    if (!serial) serial = 1;
    Arr a = arr(b, 8);
#define F(code, t, w)                                                                              \
    do {                                                                                           \
        al(b, 8);                                                                                  \
        u8(b, code);                                                                               \
        sig(b, t);                                                                                 \
        w;                                                                                         \
    } while (0)
    if (path) F(1, "o", str(b, path));
    if (iface) F(2, "s", str(b, iface));
    if (member) F(3, "s", str(b, member));
    if (error) F(4, "s", str(b, error));
    if (reply) F(5, "u", u32(b, reply));
    if (dest) F(6, "s", str(b, dest));
    if (listening >= 0) F(7, "s", str(b, myname)); // a daemon sets the sender itself
    if (s && *s) F(8, "g", sig(b, s));
    if (fds) F(9, "u", u32(b, fds));
    end(b, a);
    al(b, 8);
}
static Buf tmp;
static void message(Conn *c, int type, int flags, uint32_t reply, const char *path,
                    const char *iface, const char *member, const char *error, const char *dest,
                    const char *s, Buf *body) {
    tmp.n = 0;
    head(&tmp, type, flags, reply, path, iface, member, error, dest, s, body ? body->n : 0, 0);
    if (body) put(&tmp, body->p, body->n);
    put(&c->out, tmp.p, tmp.n);
}
static void broadcast(const char *path, const char *iface, const char *member, const char *s,
                      Buf *body) {
    for (int i = 0; i < nconns; i++)
        if (conns[i].fd >= 0 && conns[i].auth == 2)
            message(&conns[i], 4, 1, 0, path, iface, member, NULL, NULL, s, body);
}
static Buf body; // of the message under construction
static void reply(Conn *c, uint32_t s, const char *dest, const char *sg, Buf *b) {
    message(c, 2, 1, s, NULL, NULL, NULL, NULL, dest, sg, b);
}
static void fail(Conn *c, uint32_t s, const char *dest, const char *name, const char *text) {
    body.n = 0;
    str(&body, text);
    message(c, 3, 1, s, NULL, NULL, NULL, name, dest, "s", &body);
}

// ------------------------------------------------------------------ the world
static int known, sparse, advs, rounds = 10, extraServices = 2, extraChars = 4, echo_, fdPath, hold,
                        driveWindow = 1;
static long driveCount;
static const char *drive;
typedef struct {
    int connected;
    uint8_t value[512];
    int nvalue;
    uint32_t reads, requests, commands, packets;
    long burst;
    uint32_t seq;
    int size;
    int notifyFd, writeFd;
    int notifying;
} Dev;
static Dev dev[3];
static int discovering;
static long advNext, advTotal;
#define A "/org/bluez/hci0"
#define U(n) "12345678-1234-5678-1234-56789abcdef" n
static void devPath(char *o, int i) {
    sprintf(o, A "/dev_C0_00_00_00_00_%02X", i);
}
static void standard(Buf *b, const char *name) {
    al(b, 8);
    str(b, name);
    Arr a = arr(b, 8);
    end(b, a);
}
#define IFACE(b, name)                                                                             \
    al(b, 8);                                                                                      \
    str(b, name);                                                                                  \
    {                                                                                              \
        Arr _a = arr(b, 8);
#define END_IFACE(b)                                                                               \
    end(b, _a);                                                                                    \
    }

static void adapter(Buf *b) {
    Arr a = arr(b, 8);
    standard(b, "org.freedesktop.DBus.Introspectable");
    IFACE(b, "org.bluez.Adapter1")
    p_s(b, "Address", "00:AA:01:00:00:00");
    p_s(b, "AddressType", "public");
    p_s(b, "Name", "bench");
    p_s(b, "Alias", "bench");
    p_u(b, "Class", 0);
    p_b(b, "Powered", 1);
    p_b(b, "Discoverable", 0);
    p_u(b, "DiscoverableTimeout", 180);
    p_b(b, "Pairable", 0);
    p_u(b, "PairableTimeout", 0);
    p_b(b, "Discovering", discovering);
    const char *uu[] = {"00001801-0000-1000-8000-00805f9b34fb",
                        "0000110e-0000-1000-8000-00805f9b34fb", NULL};
    p_as(b, "UUIDs", uu);
    p_s(b, "Modalias", "usb:v1D6Bp0246d0542");
    const char *r[] = {"central", "peripheral", "central-peripheral", NULL};
    p_as(b, "Roles", r);
    END_IFACE(b)
    standard(b, "org.freedesktop.DBus.Properties");
    IFACE(b, "org.bluez.GattManager1")
    END_IFACE(b) IFACE(b, "org.bluez.LEAdvertisingManager1") p_y(b, "ActiveInstances", 0);
    p_y(b, "SupportedInstances", 16);
    const char *i[] = {"tx-power", "appearance", "local-name", NULL};
    p_as(b, "SupportedIncludes", i);
    END_IFACE(b)
    end(b, a);
}
// Writes a device; kind 0 = connectable, 1 = stored, 2 = advertising.
static void device(Buf *b, const char *addr, const char *name, int kind, int connected, int rssi,
                   long round) {
    Arr a = arr(b, 8);
    standard(b, "org.freedesktop.DBus.Introspectable");
    IFACE(b, "org.bluez.Device1")
    p_s(b, "Address", addr);
    p_s(b, "AddressType", "random");
    if (name) p_s(b, "Name", name);
    p_s(b, "Alias", name ? name : addr);
    if (kind == 1 && sparse) {
        p_b(b, "Connected", 0);
        p_o(b, "Adapter", A);
        end(b, _a);
        end(b, a);
        return;
    }
    if (kind != 2) p_s(b, "Icon", "phone");
    p_b(b, "Paired", 0);
    p_b(b, "Bonded", 0);
    p_b(b, "Trusted", 0);
    p_b(b, "Blocked", 0);
    p_b(b, "LegacyPairing", 0);
    if (rssi) p_n(b, "RSSI", rssi);
    p_b(b, "Connected", connected);
    const char *uu[] = {kind == 0 ? U("0") : "0000180d-0000-1000-8000-00805f9b34fb",
                        "0000180a-0000-1000-8000-00805f9b34fb", NULL};
    p_as(b, "UUIDs", uu);
    p_o(b, "Adapter", A);
    if (rssi) {
        uint8_t m[8] = {round, 2, 3, 4, 5, 6, 7, 8};
        p_manufacturer(b, 0xffff, m, 8);
    }
    p_b(b, "ServicesResolved", connected);
    if (rssi) {
        uint8_t f = 6;
        p_ay(b, "AdvertisingFlags", &f, 1);
    }
    END_IFACE(b)
    standard(b, "org.freedesktop.DBus.Properties");
    end(b, a);
}
static void service(Buf *b, const char *dp, const char *uuid) {
    Arr a = arr(b, 8);
    standard(b, "org.freedesktop.DBus.Introspectable");
    IFACE(b, "org.bluez.GattService1") p_s(b, "UUID", uuid);
    p_o(b, "Device", dp);
    p_b(b, "Primary", 1);
    Arr x;
    key(b, "Includes", "ao");
    x = arr(b, 4);
    end(b, x);
    END_IFACE(b) standard(b, "org.freedesktop.DBus.Properties");
    end(b, a);
}
static void chr(Buf *b, const char *sp, const char *uuid, const char **flags, int notify,
                int nowr) {
    Arr a = arr(b, 8);
    standard(b, "org.freedesktop.DBus.Introspectable");
    IFACE(b, "org.bluez.GattCharacteristic1") p_s(b, "UUID", uuid);
    p_o(b, "Service", sp);
    p_ay(b, "Value", "", 0);
    if (notify) p_b(b, "Notifying", 0);
    p_as(b, "Flags", flags);
    if (nowr && fdPath) p_b(b, "WriteAcquired", 0);
    if (notify && fdPath) p_b(b, "NotifyAcquired", 0);
    p_q(b, "MTU", 517);
    END_IFACE(b) standard(b, "org.freedesktop.DBus.Properties");
    end(b, a);
}
static void desc(Buf *b, const char *cp) {
    Arr a = arr(b, 8);
    standard(b, "org.freedesktop.DBus.Introspectable");
    IFACE(b, "org.bluez.GattDescriptor1") p_s(b, "UUID", "00002902-0000-1000-8000-00805f9b34fb");
    p_o(b, "Characteristic", cp);
    p_ay(b, "Value", "", 0);
    END_IFACE(b) standard(b, "org.freedesktop.DBus.Properties");
    end(b, a);
}
// Calls f for each GATT object of a device.
static void gatt(int d, void (*f)(const char *path, Buf *content)) {
    char dp[64], sp[96], cp[128], xp[160], uu[64];
    static Buf b;
    devPath(dp, d);
    const char *rw[] = {"read", "write", "write-without-response", NULL}, *nt[] = {"notify", NULL},
               *ct[] = {"read", "write", NULL}, *wc[] = {"write-without-response", NULL},
               *rd[] = {"read", NULL};
#define OBJ(p, call)                                                                               \
    b.n = 0;                                                                                       \
    call;                                                                                          \
    f(p, &b);
    sprintf(sp, "%s/service0001", dp);
    OBJ(sp, service(&b, dp, U("0")))
    sprintf(cp, "%s/char0002", sp);
    OBJ(cp, chr(&b, sp, U("1"), rw, 0, 1))
    sprintf(cp, "%s/char0004", sp);
    OBJ(cp, chr(&b, sp, U("2"), nt, 1, 0))
    sprintf(xp, "%s/desc0006", cp);
    OBJ(xp, desc(&b, cp))
    sprintf(cp, "%s/char0007", sp);
    OBJ(cp, chr(&b, sp, U("4"), ct, 0, 0))
    sprintf(cp, "%s/char0009", sp);
    OBJ(cp, chr(&b, sp, U("5"), wc, 0, 1))
    for (int s = 0; s < extraServices; s++) {
        sprintf(sp, "%s/service%04x", dp, 0x100 + 0x100 * s);
        sprintf(uu, "0000%04x-0000-1000-8000-00805f9b34fb", 0x1820 + s);
        OBJ(sp, service(&b, dp, uu))
        for (int c = 0; c < extraChars; c++) {
            sprintf(cp, "%s/char%04x", sp, 0x101 + 0x100 * s + 2 * c);
            sprintf(uu, "0000%04x-0000-1000-8000-00805f9b34fb", 0x2b00 + 0x20 * s + c);
            OBJ(cp, chr(&b, sp, uu, rd, 0, 0))
        }
    }
}
static Buf *managed;
// Appends a dictionary from a separate buffer that starts at 0: length, 4 bytes of padding, entries. Here the
// length may be directly before the entries.
static void embed(Buf *b, Buf *c) {
    al(b, 4);
    put(b, c->p, 4);
    al(b, 8);
    put(b, c->p + 8, c->n - 8);
}
static void addManaged(const char *p, Buf *c) {
    al(managed, 8);
    str(managed, p);
    embed(managed, c);
}
static void objectManager(Buf *b) {
    static Buf c;
    char p[96], ad[32];
    Arr a = arr(b, 8);
    managed = b;
    al(b, 8);
    str(b, "/org/bluez");
    al(b, 4);
    {
        Arr x = arr(b, 8);
        standard(b, "org.freedesktop.DBus.Introspectable");
        standard(b, "org.bluez.AgentManager1");
        standard(b, "org.bluez.ProfileManager1");
        end(b, x);
    }
    c.n = 0;
    adapter(&c);
    addManaged(A, &c);
    for (int d = 1; d <= 2; d++) {
        devPath(p, d);
        sprintf(ad, "C0:00:00:00:00:%02X", d);
        c.n = 0;
        device(&c, ad, "Bench", 0, dev[d].connected, -50, 0);
        addManaged(p, &c);
        if (dev[d].connected) gatt(d, addManaged);
    }
    for (int i = 0; i < known; i++) {
        sprintf(p, A "/dev_D0_00_00_%02X_%02X_%02X", i >> 16 & 255, i >> 8 & 255, i & 255);
        sprintf(ad, "D0:00:00:%02X:%02X:%02X", i >> 16 & 255, i >> 8 & 255, i & 255);
        c.n = 0;
        char nm[32];
        sprintf(nm, "Known %d", i);
        device(&c, ad, nm, 1, 0, 0, 0);
        addManaged(p, &c);
    }
    end(b, a);
}
static void interfacesAdded(const char *p, Buf *c) {
    static Buf b;
    b.n = 0;
    str(&b, p);
    embed(&b, c);
    broadcast("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", "oa{sa{sv}}", &b);
}
static void interfacesRemoved(const char *p, const char **names) {
    static Buf b;
    b.n = 0;
    str(&b, p);
    Arr a = arr(&b, 4);
    for (; *names; names++) str(&b, *names);
    end(&b, a);
    broadcast("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "oas", &b);
}
static void gattRemoved(const char *p, Buf *c) {
    (void)c;
    const char *n[] = {"org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable",
                       strstr(p, "/desc")   ? "org.bluez.GattDescriptor1"
                       : strstr(p, "/char") ? "org.bluez.GattCharacteristic1"
                                            : "org.bluez.GattService1",
                       NULL};
    interfacesRemoved(p, n);
}
static void changedB(const char *p, const char *i, const char *k, int v) {
    static Buf b;
    b.n = 0;
    str(&b, i);
    Arr a = arr(&b, 8);
    p_b(&b, k, v);
    end(&b, a);
    Arr z = arr(&b, 4);
    end(&b, z);
    broadcast(p, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as", &b);
}
static void valueChanged(const char *p, const void *d, uint32_t n) {
    static Buf b;
    b.n = 0;
    str(&b, "org.bluez.GattCharacteristic1");
    Arr a = arr(&b, 8);
    p_ay(&b, "Value", d, n);
    end(&b, a);
    Arr z = arr(&b, 4);
    end(&b, z);
    broadcast(p, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as", &b);
}

// Does one chunk of the pending work; returns true if more remains.
static int work(void) {
    int more = 0;
    char p[160];
    for (int i = 0; i < nconns; i++)
        if (conns[i].out.n - conns[i].sent > 256 << 10) return 1;
    for (int d = 1; d <= 2; d++) {
        Dev *v = &dev[d];
        if (!v->burst) continue;
        if (v->notifyFd >= 0) {
            uint8_t q[512] = {0};
            int k = 64;
            while (k-- && v->burst) {
                memcpy(q, &v->seq, 4);
                if (send(v->notifyFd, q, v->size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
                    if (errno == EAGAIN) {
                        struct pollfd f = {v->notifyFd, POLLOUT, 0};
                        poll(&f, 1, 1);
                        break;
                    }
                    v->burst = 0;
                    break;
                }
                v->seq++;
                v->burst--;
            }
            if (v->burst) more = 1;
            continue;
        }
        devPath(p, d);
        strcat(p, "/service0001/char0004");
        uint8_t q[512] = {0};
        valueChanged(p, q, v->size); // the first of a chunk is built, the others are copies
        // all connections end with the same bytes: patch serial and number, and copy on
        for (int i = 0; i < nconns; i++) {
            Conn *c = &conns[i];
            if (c->fd < 0 || c->auth != 2) continue;
            size_t m = tmp.n;
            uint8_t *t = tmp.p;
            uint8_t *at =
                t + m - 4 - (v->size + 3) / 4 * 4; // after the value: padding to 4, an empty array
            long k = v->burst < 64 ? v->burst : 64;
            c->out.n -= m;
            uint32_t seq = v->seq;
            for (long j = 0; j < k; j++) {
                uint32_t s = serial++;
                memcpy(t + 8, &s, 4);
                memcpy(at, &seq, 4);
                seq++;
                put(&c->out, t, m);
            }
        }
        long k = v->burst < 64 ? v->burst : 64;
        v->seq += k;
        v->burst -= k;
        if (v->burst) more = 1;
    }
    if (discovering && advNext < advTotal) {
        char ad[32];
        static Buf c;
        for (int j = 0; j < 32 && advNext < advTotal; j++, advNext++) {
            if (advNext == advTotal - 1) {
                sprintf(p, A "/dev_EE_EE_EE_EE_EE_EE");
                c.n = 0;
                device(&c, "EE:EE:EE:EE:EE:EE", "END", 2, 0, -40, 0);
                interfacesAdded(p, &c);
                continue;
            }
            long r = advNext / advs, i = advNext % advs;
            sprintf(p, A "/dev_E0_00_00_%02lX_%02lX_%02lX", i >> 16 & 255, i >> 8 & 255, i & 255);
            if (!r) {
                sprintf(ad, "E0:00:00:%02lX:%02lX:%02lX", i >> 16 & 255, i >> 8 & 255, i & 255);
                char nm[32];
                sprintf(nm, "Adv %ld", i);
                c.n = 0;
                device(&c, ad, nm, 2, 0, -60, 0);
                interfacesAdded(p, &c);
                continue;
            }
            c.n = 0;
            str(&c, "org.bluez.Device1");
            Arr a = arr(&c, 8);
            p_n(&c, "RSSI", -60 - (int)(r % 2) * 10);
            uint8_t m[8] = {r, 2, 3, 4, 5, 6, 7, 8};
            p_manufacturer(&c, 0xffff, m, 8);
            end(&c, a);
            Arr z = arr(&c, 4);
            end(&c, z);
            broadcast(p, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as", &c);
        }
        if (advNext < advTotal) more = 1;
    }
    return more;
}

// ------------------------------------------------------------------ the application that registers
// (server side)
static struct {
    char sender[64], root[256], notify[256], rw[256];
    uint32_t regSerial, gmoSerial, startSerial;
    Conn *c;
    long sent, got, inflight;
    double t0;
    int phase;
    uint32_t signals;
    int isWrite;
} app;
static void appCall(const char *path, const char *iface, const char *member, const char *s,
                    Buf *b) {
    message(app.c, 1, 0, 0, path, iface, member, NULL, app.sender, s, b);
}
static void appOptions(Buf *b) {
    char dp[64];
    devPath(dp, 1);
    Arr a = arr(b, 8);
    p_o(b, "device", dp);
    p_s(b, "link", "LE");
    p_q(b, "mtu", 517);
    end(b, a);
}
static void appRequest(void) {
    static Buf b;
    b.n = 0;
    uint8_t v[20] = {7};
    if (app.isWrite) {
        bytes(&b, v, 20);
        appOptions(&b);
        appCall(app.rw, "org.bluez.GattCharacteristic1", "WriteValue", "aya{sv}", &b);
    } else {
        appOptions(&b);
        appCall(app.rw, "org.bluez.GattCharacteristic1", "ReadValue", "a{sv}", &b);
    }
    app.sent++;
    app.inflight++;
}
static void appDone(void) {
    double t = now() - app.t0;
    long n = app.got;
    printf("{\"driver\":\"%s\",\"n\":%ld,\"window\":%d,\"wall_us\":%.3f}\n", drive, n, driveWindow,
           t / n * 1e6);
    fflush(stdout);
    appCall(app.notify, "org.bluez.GattCharacteristic1", "StopNotify", "", NULL);
    app.phase = 9;
}
static void appReply(Conn *c, DBusMessage *m, uint32_t rs) {
    if (app.phase == 1 && rs == app.gmoSerial) { // GetManagedObjects: find a characteristic that
                                                 // notifies and one that reads
        DBusMessageIter i, a;
        dbus_message_iter_init(m, &i);
        for (dbus_message_iter_recurse(&i, &a); dbus_message_iter_get_arg_type(&a);
             dbus_message_iter_next(&a)) {
            DBusMessageIter e, f;
            const char *p;
            dbus_message_iter_recurse(&a, &e);
            dbus_message_iter_get_basic(&e, &p);
            dbus_message_iter_next(&e);
            for (dbus_message_iter_recurse(&e, &f); dbus_message_iter_get_arg_type(&f);
                 dbus_message_iter_next(&f)) {
                DBusMessageIter g, h;
                const char *in;
                dbus_message_iter_recurse(&f, &g);
                dbus_message_iter_get_basic(&g, &in);
                dbus_message_iter_next(&g);
                if (strcmp(in, "org.bluez.GattCharacteristic1")) continue;
                for (dbus_message_iter_recurse(&g, &h); dbus_message_iter_get_arg_type(&h);
                     dbus_message_iter_next(&h)) {
                    DBusMessageIter k, v, u;
                    const char *kk, *fl;
                    dbus_message_iter_recurse(&h, &k);
                    dbus_message_iter_get_basic(&k, &kk);
                    dbus_message_iter_next(&k);
                    if (strcmp(kk, "Flags")) continue;
                    dbus_message_iter_recurse(&k, &v);
                    for (dbus_message_iter_recurse(&v, &u); dbus_message_iter_get_arg_type(&u);
                         dbus_message_iter_next(&u)) {
                        dbus_message_iter_get_basic(&u, &fl);
                        if (!strcmp(fl, "notify")) strcpy(app.notify, p);
                        if (!strcmp(fl, "read")) strcpy(app.rw, p);
                    }
                }
            }
        }
        reply(c, app.regSerial, app.sender, "", NULL);
        app.phase = 2;
        app.startSerial = serial;
        app.isWrite = drive && !strcmp(drive, "write");
        appCall(app.notify, "org.bluez.GattCharacteristic1", "StartNotify", "", NULL);
        app.t0 = now();
        return;
    }
    if (app.phase == 2 && rs == app.startSerial) {
        app.phase = 3;
        if (drive && strcmp(drive, "notify")) {
            app.t0 = now();
            for (int k = 0; k < driveWindow; k++) appRequest();
        }
        return;
    }
    if (app.phase == 3 && drive && strcmp(drive, "notify")) {
        app.inflight--;
        app.got++;
        if (app.sent < driveCount)
            appRequest();
        else if (!app.inflight)
            appDone();
    }
}

// ------------------------------------------------------------------ received messages
typedef struct {
    int type, flags;
    uint32_t serial, reply, nbody;
    const char *path, *iface, *member, *sender, *sig, *dest;
    const uint8_t *body;
} Msg;
static size_t parse(const uint8_t *p, size_t n, Msg *m) {
    if (n < 16) return 0;
    uint32_t nb, nf;
    memcpy(&nb, p + 4, 4);
    memcpy(&nf, p + 12, 4);
    size_t hl = (16 + nf + 7) & ~7ul;
    if (n < hl + nb) return 0;
    memset(m, 0, sizeof *m);
    m->type = p[1];
    m->flags = p[2];
    memcpy(&m->serial, p + 8, 4);
    m->nbody = nb;
    m->body = p + hl;
    m->sig = "";
    for (size_t i = 16; i < 16 + nf;) {
        i = (i + 7) & ~7ul;
        if (i >= 16 + nf) break;
        int code = p[i];
        i++;
        int sl = p[i];
        char t = p[i + 1];
        i += sl + 2;
        if (t == 's' || t == 'o') {
            i = (i + 3) & ~3ul;
            uint32_t l;
            memcpy(&l, p + i, 4);
            const char *s = (const char *)p + i + 4;
            i += 4 + l + 1;
            if (code == 1)
                m->path = s;
            else if (code == 2)
                m->iface = s;
            else if (code == 3)
                m->member = s;
            else if (code == 7)
                m->sender = s;
            else if (code == 6)
                m->dest = s;
        } else if (t == 'g') {
            if (code == 8) m->sig = (const char *)p + i + 1;
            i += p[i] + 2;
        } else {
            i = (i + 3) & ~3ul;
            uint32_t v;
            memcpy(&v, p + i, 4);
            if (code == 5) m->reply = v;
            i += 4;
        }
    }
    return hl + nb;
}
static void sendFd(Conn *c, uint32_t rs, const char *dest, int fd) { // (h, q)
    flush(c);
    static Buf h;
    h.n = 0;
    body.n = 0;
    u32(&body, 0);
    u16(&body, 517);
    head(&h, 2, 1, rs, NULL, NULL, NULL, NULL, dest, "hq", body.n, 1);
    put(&h, body.p, body.n);
    struct iovec v = {h.p, h.n};
    char cb[CMSG_SPACE(sizeof(int))];
    struct msghdr mh = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = cb, .msg_controllen = sizeof cb};
    struct cmsghdr *cm = CMSG_FIRSTHDR(&mh);
    cm->cmsg_level = SOL_SOCKET;
    cm->cmsg_type = SCM_RIGHTS;
    cm->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(cm), &fd, sizeof fd);
    if (sendmsg(c->fd, &mh, MSG_NOSIGNAL) < 0) perror("sendmsg");
    close(fd);
}
static void control(Dev *v, const uint8_t *d, uint32_t n) {
    if (n >= 7 && d[0] == 'N') {
        uint32_t k;
        uint16_t s;
        memcpy(&k, d + 1, 4);
        memcpy(&s, d + 5, 2);
        v->burst = k;
        v->seq = 0;
        v->size = s < 4 ? 4 : s > 512 ? 512 : s;
    }
    if (n >= 1 && d[0] == 'Z') v->reads = v->requests = v->commands = v->packets = 0;
}
static void call(Conn *c, Msg *m, const uint8_t *raw, size_t nraw) {
    const char *from = m->sender ? m->sender : c->name;
    char p[160];
    int noreply = m->flags & 1;
    (void)raw;
    (void)nraw;
#define IS(x) (!strcmp(m->member, x))
#define OK(s, b)                                                                                   \
    do {                                                                                           \
        if (!noreply) reply(c, m->serial, from, s, b);                                             \
        return;                                                                                    \
    } while (0)
    int d = 0;
    const char *rest = "";
    if (m->path &&
        !strncmp(m->path, A "/dev_C0_00_00_00_00_0", strlen(A "/dev_C0_00_00_00_00_0"))) {
        d = m->path[strlen(A "/dev_C0_00_00_00_00_0")] - '0';
        rest = m->path + strlen(A "/dev_C0_00_00_00_00_01");
        if (d < 1 || d > 2) d = 0;
    }
    if (d && *rest) { // a GATT object
        Dev *v = &dev[d];
        int which = !strcmp(rest, "/service0001/char0002")   ? 1
                    : !strcmp(rest, "/service0001/char0004") ? 2
                    : !strcmp(rest, "/service0001/char0007") ? 4
                    : !strcmp(rest, "/service0001/char0009") ? 5
                                                             : 0;
        if (IS("ReadValue")) {
            v->reads++;
            body.n = 0;
            if (hold) return;
            if (which == 4) {
                uint32_t s[4] = {v->reads, v->requests, v->commands, v->packets};
                bytes(&body, s, 16);
            } else {
                if (echo_) valueChanged(m->path, v->value, v->nvalue);
                bytes(&body, v->value, v->nvalue);
            }
            OK("ay", &body);
        }
        if (IS("WriteValue")) {
            uint32_t n;
            memcpy(&n, m->body, 4);
            const uint8_t *x = m->body + 4;
            if (n > 512) n = 512;
            int cmd = memmem(m->body + 4 + n, m->nbody - 4 - n, "command", 7) != NULL;
            if (cmd)
                v->commands++;
            else
                v->requests++;
            if (hold && which == 1) return;
            if (which == 4) {
                control(v, x, n);
            } else if (which == 1) {
                memcpy(v->value, x, n);
                v->nvalue = n;
            }
            OK("", NULL);
        }
        if (IS("StartNotify")) {
            v->notifying = 1;
            changedB(m->path, "org.bluez.GattCharacteristic1", "Notifying", 1);
            OK("", NULL);
        }
        if (IS("StopNotify")) {
            v->notifying = 0;
            v->burst = 0;
            changedB(m->path, "org.bluez.GattCharacteristic1", "Notifying", 0);
            OK("", NULL);
        }
        if ((IS("AcquireNotify") || IS("AcquireWrite")) && !fdPath) {
            fail(c, m->serial, from, "org.bluez.Error.NotSupported", "Operation is not supported");
            return;
        }
        if (IS("AcquireNotify") || IS("AcquireWrite")) {
            int s[2];
            if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s)) die("socketpair");
            if (IS("AcquireNotify")) {
                if (v->notifyFd >= 0) close(v->notifyFd);
                v->notifyFd = s[0];
            } else {
                if (v->writeFd >= 0) close(v->writeFd);
                v->writeFd = s[0];
            }
            sendFd(c, m->serial, from, s[1]);
            return;
        }
    }
    if (IS("GetManagedObjects")) {
        static Buf b;
        b.n = 0;
        objectManager(&b);
        OK("a{oa{sa{sv}}}", &b);
    }
    if (IS("Connect") && d) {
        Dev *v = &dev[d];
        devPath(p, d);
        if (!v->connected) {
            changedB(p, "org.bluez.Device1", "Connected", 1);
            reply(c, m->serial, from, "", NULL);
            v->connected = 1;
            gatt(d, interfacesAdded);
            changedB(p, "org.bluez.Device1", "ServicesResolved", 1);
            return;
        }
        OK("", NULL);
    }
    if (IS("Disconnect") && d) {
        Dev *v = &dev[d];
        devPath(p, d);
        if (v->connected) {
            v->connected = 0;
            v->burst = 0;
            if (v->notifyFd >= 0) close(v->notifyFd);
            if (v->writeFd >= 0) close(v->writeFd);
            v->notifyFd = v->writeFd = -1;
            changedB(p, "org.bluez.Device1", "ServicesResolved", 0);
            reply(c, m->serial, from, "", NULL);
            changedB(p, "org.bluez.Device1", "Connected", 0);
            gatt(d, gattRemoved);
            return;
        }
        OK("", NULL);
    }
    if (IS("StartDiscovery")) {
        reply(c, m->serial, from, "", NULL);
        discovering = 1;
        changedB(A, "org.bluez.Adapter1", "Discovering", 1);
        for (int x = 1; x <= 2; x++) {
            devPath(p, x);
            body.n = 0;
            str(&body, "org.bluez.Device1");
            Arr a = arr(&body, 8);
            p_n(&body, "RSSI", -51);
            end(&body, a);
            Arr z = arr(&body, 4);
            end(&body, z);
            broadcast(p, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as", &body);
        }
        advNext = 0;
        advTotal = advs ? (long)advs * rounds + 1 : 0;
        return;
    }
    if (IS("StopDiscovery")) {
        reply(c, m->serial, from, "", NULL);
        discovering = 0;
        advTotal = 0;
        changedB(A, "org.bluez.Adapter1", "Discovering", 0);
        return;
    }
    if (IS("RegisterApplication")) {
        const char *root = (const char *)m->body + 4;
        app.c = c;
        snprintf(app.sender, sizeof app.sender, "%s", from);
        snprintf(app.root, sizeof app.root, "%s", root);
        app.regSerial = m->serial;
        app.phase = 1;
        app.sent = app.got = app.inflight = app.signals = 0;
        if (listening < 0) {
            static Buf b;
            b.n = 0;
            char r[256];
            snprintf(r, sizeof r,
                     "type='signal',sender='%s',interface='org.freedesktop.DBus.Properties'", from);
            str(&b, r);
            message(c, 1, 1, 0, "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", NULL,
                    "org.freedesktop.DBus", "s", &b);
        }
        app.gmoSerial = serial;
        appCall(app.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "", NULL);
        return;
    }
    if (IS("Introspect")) {
        body.n = 0;
        str(&body, "<node><interface name=\"org.bluez.Adapter1\"/></node>");
        OK("s", &body);
    }
    if (IS("GetAll")) {
        body.n = 0;
        Arr a = arr(&body, 8);
        if (m->path && !strcmp(m->path, A)) {
            p_b(&body, "Powered", 1);
            p_s(&body, "Address", "00:AA:01:00:00:00");
        }
        end(&body, a);
        OK("a{sv}", &body);
    }
    if (IS("Get")) {
        const char *k = (const char *)m->body;
        uint32_t l;
        memcpy(&l, k, 4);
        size_t o = (4 + l + 1 + 3) & ~3ul;
        const char *nm = k + o + 4;
        body.n = 0;
        sig(&body, "b");
        u32(&body, d ? dev[d].connected : strcmp(nm, "Discovering") ? 1 : discovering);
        OK("v", &body);
    }
    if (m->dest && !strcmp(m->dest, "org.freedesktop.DBus")) { // --listen: this process is the bus
        body.n = 0;
        if (IS("Hello")) {
            str(&body, c->name);
            OK("s", &body);
        }
        if (IS("GetNameOwner")) {
            str(&body, me);
            OK("s", &body);
        }
        if (IS("NameHasOwner")) {
            u32(&body, 1);
            OK("b", &body);
        }
        if (IS("RequestName")) {
            u32(&body, 1);
            OK("u", &body);
        }
        if (IS("StartServiceByName")) {
            u32(&body, 2);
            OK("u", &body);
        }
        if (IS("ListNames")) {
            Arr a = arr(&body, 4);
            str(&body, "org.bluez");
            end(&body, a);
            OK("as", &body);
        }
        OK("", NULL);
    }
    static const char *plain[] = {"SetDiscoveryFilter",
                                  "RegisterAgent",
                                  "RequestDefaultAgent",
                                  "UnregisterAgent",
                                  "UnregisterApplication",
                                  "RegisterAdvertisement",
                                  "UnregisterAdvertisement",
                                  "RemoveDevice",
                                  "Pair",
                                  "Set",
                                  "Ping",
                                  NULL};
    for (int i = 0; plain[i]; i++)
        if (IS(plain[i])) OK("", NULL);
    if (!noreply) fail(c, m->serial, from, "org.freedesktop.DBus.Error.UnknownMethod", m->member);
}
static void incoming(Conn *c) {
    need(&c->in, 256 << 10);
    ssize_t k = recv(c->fd, c->in.p + c->in.n, c->in.cap - c->in.n, MSG_DONTWAIT);
    if (k == 0 || (k < 0 && errno != EAGAIN && errno != EINTR)) {
        close(c->fd);
        c->fd = -1;
        c->in.n = c->out.n = c->sent = 0;
        if (listening < 0) exit(0);
        for (int d = 1; d <= 2; d++) {
            dev[d].connected = 0;
            dev[d].burst = 0;
        }
        discovering = 0;
        app.phase = 0;
        return;
    }
    if (k < 0) return;
    c->in.n += k;
    size_t o = 0;
    if (c->auth < 2 && listening >= 0) { // the server side of SASL, line by line
        for (;;) {
            if (o < c->in.n && c->in.p[o] == 0) o++;
            uint8_t *nl = memmem(c->in.p + o, c->in.n - o, "\r\n", 2);
            if (!nl) break;
            *nl = 0;
            char *l = (char *)c->in.p + o;
            o = nl - c->in.p + 2;
            const char *a = !strncmp(l, "AUTH EXTERNAL", 13)
                                ? "OK 0123456789abcdef0123456789abcdef\r\n"
                            : !strncmp(l, "AUTH", 4) ? "REJECTED EXTERNAL\r\n"
                            : !strncmp(l, "DATA", 4) ? "OK 0123456789abcdef0123456789abcdef\r\n"
                            : !strncmp(l, "NEGOTIATE", 9) ? "AGREE_UNIX_FD\r\n"
                                                          : NULL;
            if (!strcmp(l, "BEGIN")) {
                c->auth = 2;
                break;
            }
            if (a) {
                put(&c->out, a, strlen(a));
                flush(c);
            }
        }
        memmove(c->in.p, c->in.p + o, c->in.n - o);
        c->in.n -= o;
        o = 0;
        if (c->auth < 2) return;
    }
    Msg m;
    size_t s;
    // The alignment of a message to 8 counts from its own start: parse from its own address.
    while ((s = parse(c->in.p + o, c->in.n - o, &m))) {
        if (listening < 0 && m.type == 2 && m.reply == 2) {
            printf("ready\n");
            fflush(stdout);
        } // the name is owned
        if (m.type == 1)
            call(c, &m, c->in.p + o, s);
        else if (m.type == 4) {
            if (app.phase == 3 && m.member && !strcmp(m.member, "PropertiesChanged")) {
                app.got++;
                if (drive && !strcmp(drive, "notify") && app.got >= driveCount) appDone();
            }
        } else if (app.phase) {
            if (app.phase == 1) {
                DBusError e;
                dbus_error_init(&e);
                DBusMessage *x = dbus_message_demarshal((const char *)c->in.p + o, s, &e);
                if (x) {
                    appReply(c, x, m.reply);
                    dbus_message_unref(x);
                } else
                    fprintf(stderr, "stub: %s\n", e.message);
            } else {
                if (m.type == 3) fprintf(stderr, "stub: the application answered an error\n");
                appReply(c, NULL, m.reply);
            }
        }
        o += s;
    }
    memmove(c->in.p, c->in.p + o, c->in.n - o);
    c->in.n -= o;
}

static int dial(const char *address) {
    const char *p = strstr(address, "path=");
    int abstract = 0;
    if (!p) {
        p = strstr(address, "abstract=");
        abstract = 1;
    }
    if (!p) {
        fprintf(stderr, "stub: no unix socket in %s\n", address);
        exit(1);
    }
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const char *b = strchr(p, '=') + 1;
    size_t l = strcspn(b, ",;");
    memcpy(a.sun_path + abstract, b, l);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (void *)&a, offsetof(struct sockaddr_un, sun_path) + l + abstract + !abstract))
        die("connect");
    char u[32], h[80], hello[128];
    sprintf(u, "%u", getuid());
    *h = 0;
    for (char *c = u; *c; c++) sprintf(h + strlen(h), "%02x", *c);
    int n = sprintf(hello, "%cAUTH EXTERNAL %s\r\n", 0, h);
    if (write(fd, hello, n) != n) die("write");
    char r[256];
    ssize_t k = read(fd, r, sizeof r - 1);
    if (k <= 0) die("auth");
    r[k] = 0;
    if (strncmp(r, "OK", 2)) {
        fprintf(stderr, "stub: auth %s", r);
        exit(1);
    }
    n = sprintf(hello, "NEGOTIATE_UNIX_FD\r\nBEGIN\r\n");
    if (write(fd, hello, n) != n) die("write");
    k = read(fd, r, sizeof r);
    return fd;
}
int main(int argc, char **argv) {
    const char *path = NULL;
    signal(SIGPIPE, SIG_IGN);
    int connected = 0;
    for (int i = 1; i < argc; i++) {
        const char *o = argv[i];
        if (!strcmp(o, "--listen"))
            path = argv[++i];
        else if (!strcmp(o, "--known"))
            known = atoi(argv[++i]);
        else if (!strcmp(o, "--sparse"))
            sparse = 1;
        else if (!strcmp(o, "--adv"))
            advs = atoi(argv[++i]);
        else if (!strcmp(o, "--rounds"))
            rounds = atoi(argv[++i]);
        else if (!strcmp(o, "--services"))
            extraServices = atoi(argv[++i]);
        else if (!strcmp(o, "--chars"))
            extraChars = atoi(argv[++i]);
        else if (!strcmp(o, "--echo"))
            echo_ = 1;
        else if (!strcmp(o, "--fd"))
            fdPath = 1;
        else if (!strcmp(o, "--hold"))
            hold = 1;
        else if (!strcmp(o, "--connected"))
            connected = 1;
        else if (!strcmp(o, "--drive")) {
            drive = argv[++i];
            driveCount = atol(argv[++i]);
            driveWindow = atoi(argv[++i]);
        } else {
            fprintf(stderr, "stub: %s?\n", o);
            return 2;
        }
    }
    for (int d = 1; d <= 2; d++) {
        dev[d].notifyFd = dev[d].writeFd = -1;
        dev[d].nvalue = 20;
        dev[d].connected = connected && d == 1;
        for (int i = 0; i < 512; i++) dev[d].value[i] = i;
    }
    if (path) {
        unlink(path);
        listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct sockaddr_un a = {.sun_family = AF_UNIX};
        strcpy(a.sun_path, path);
        if (bind(listening, (void *)&a, sizeof a) || listen(listening, 16)) die("listen");
    } else {
        const char *a = getenv("DBUS_SYSTEM_BUS_ADDRESS");
        if (!a) {
            fprintf(stderr, "stub: no DBUS_SYSTEM_BUS_ADDRESS\n");
            return 2;
        }
        Conn *c = &conns[nconns++];
        c->fd = dial(a);
        c->auth = 2;
        body.n = 0;
        message(c, 1, 0, 0, "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello", NULL,
                "org.freedesktop.DBus", "", NULL);
        flush(c);
        str(&body, "org.bluez");
        u32(&body, 4);
        message(c, 1, 0, 0, "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName", NULL,
                "org.freedesktop.DBus", "su", &body);
        flush(c);
    }
    if (path) {
        printf("ready\n");
        fflush(stdout);
    }
    for (;;) {
        struct pollfd f[80];
        int n = 0, idx[80];
        int more = work();
        for (int i = 0; i < nconns; i++)
            if (conns[i].fd >= 0) {
                flush(&conns[i]);
                idx[n] = i;
                f[n++] = (struct pollfd){conns[i].fd, POLLIN | (conns[i].out.n ? POLLOUT : 0), 0};
                if (conns[i].out.n - conns[i].sent > 256 << 10) more = 0;
            }
        int nc = n;
        if (listening >= 0) {
            idx[n] = -1;
            f[n++] = (struct pollfd){listening, POLLIN, 0};
        }
        int w0 = n;
        for (int d = 1; d <= 2; d++)
            if (dev[d].writeFd >= 0) {
                idx[n] = d;
                f[n++] = (struct pollfd){dev[d].writeFd, POLLIN, 0};
            }
        if (poll(f, n, more ? 0 : -1) < 0) continue;
        for (int i = 0; i < nc; i++) {
            Conn *c = &conns[idx[i]];
            if (f[i].revents & POLLOUT) flush(c);
            if (f[i].revents & (POLLIN | POLLHUP | POLLERR)) {
                incoming(c);
                if (c->fd >= 0) flush(c);
            }
        }
        if (listening >= 0 && f[nc].revents) {
            int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
            if (fd >= 0) {
                int i = 0;
                while (i < nconns && conns[i].fd >= 0) i++;
                if (i == nconns) nconns++;
                Conn *c = &conns[i];
                c->fd = fd;
                c->auth = 0;
                c->in.n = c->out.n = c->sent = 0;
                sprintf(c->name, ":1.%d", 7 + i);
            }
        }
        for (int i = w0; i < n; i++)
            if (f[i].revents) {
                Dev *v = &dev[idx[i]];
                uint8_t q[600];
                for (int k = 0; k < 64; k++) {
                    ssize_t r = recv(v->writeFd, q, sizeof q, MSG_DONTWAIT);
                    if (r > 0)
                        v->packets++;
                    else {
                        if (r == 0) {
                            close(v->writeFd);
                            v->writeFd = -1;
                        }
                        break;
                    }
                }
            }
    }
}
