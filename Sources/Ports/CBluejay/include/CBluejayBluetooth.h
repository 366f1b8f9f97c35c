#ifndef CBLUEJAY_BLUETOOTH_H
#define CBLUEJAY_BLUETOOTH_H

// Bluetooth sockets of the kernel, as far as a channel needs them: no header of libbluetooth is used.
//
// What fails gives the number of errno, negated.

#include <stddef.h>
#include <stdint.h>

// The kernel's `struct sockaddr_l2`; the number and the identifier are little-endian.
typedef struct bluejay_l2cap_address {
    uint16_t family;
    uint16_t psm;
    uint8_t address[6];
    uint16_t cid;
    uint8_t kind;
} bluejay_l2cap_address;

// The kinds of an address of Bluetooth Low Energy.
enum bluejay_address_kind { BLUEJAY_LE_PUBLIC = 1, BLUEJAY_LE_RANDOM = 2 };

// A socket that neither blocks nor is given to programs that are started.
int bluejay_channel_socket(void);
// The six octets of an address are in printed order.
int bluejay_channel_bind(int socket, const uint8_t *address, int kind, uint16_t psm);
// -EINPROGRESS when it is under way: the socket is writable when it has ended.
int bluejay_channel_connect(int socket, const uint8_t *address, int kind, uint16_t psm);
int bluejay_channel_listen(int socket, int backlog);
// The next connection, with the address of its peer.
int bluejay_channel_accept(int socket, uint8_t *address, int *kind);
// The number that a bound socket has.
int bluejay_channel_psm(int socket);
// BT_SECURITY, 1 to 4.
int bluejay_channel_set_security(int socket, int level);
// The longest packet that may come, and that may be sent.
int bluejay_channel_set_receive_mtu(int socket, uint16_t mtu);
int bluejay_channel_send_mtu(int socket);
// What has become of a connect: 0 or the number of errno, negated.
int bluejay_channel_error(int socket);

// For any socket that keeps the borders of packets.
int bluejay_packet_send(int socket, const void *bytes, size_t count);
int bluejay_packet_receive(int socket, void *bytes, size_t limit);
// Whether the other end has hung up and no byte is left to read.
int bluejay_packet_is_over(int socket);
int bluejay_packet_duplicate(int socket);
void bluejay_packet_close(int socket);

#endif
