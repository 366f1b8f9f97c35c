#ifndef CBLUEJAY_BLUETOOTH_H
#define CBLUEJAY_BLUETOOTH_H

// The kernel's Bluetooth sockets, as far as a channel needs them, without the headers of libbluetooth.
//
// On failure, functions return the negated `errno`.

#include <stddef.h>
#include <stdint.h>

// The kernel's `struct sockaddr_l2`; `psm` and `cid` are little-endian.
typedef struct bluejay_l2cap_address {
    uint16_t family;
    uint16_t psm;
    uint8_t address[6];
    uint16_t cid;
    uint8_t kind;
} bluejay_l2cap_address;

// The address types of Bluetooth Low Energy.
enum bluejay_address_kind { BLUEJAY_LE_PUBLIC = 1, BLUEJAY_LE_RANDOM = 2 };

// Creates a non-blocking socket that child processes do not inherit.
int bluejay_channel_socket(void);
// The six octets of an address are in printed order.
int bluejay_channel_bind(int socket, const uint8_t *address, int kind, uint16_t psm);
// Returns -EINPROGRESS if the connection is in progress: the socket becomes writable at its end.
int bluejay_channel_connect(int socket, const uint8_t *address, int kind, uint16_t psm);
int bluejay_channel_listen(int socket, int backlog);
// Accepts the next connection and returns the address of its peer.
int bluejay_channel_accept(int socket, uint8_t *address, int *kind);
// Returns the PSM of a bound socket.
int bluejay_channel_psm(int socket);
// Sets BT_SECURITY, 1 to 4.
int bluejay_channel_set_security(int socket, int level);
// The maximum length of a received packet, and of a sent one.
int bluejay_channel_set_receive_mtu(int socket, uint16_t mtu);
int bluejay_channel_send_mtu(int socket);
// The result of a connection attempt: 0 or the negated `errno`.
int bluejay_channel_error(int socket);

// For any socket that preserves packet boundaries.
int bluejay_packet_send(int socket, const void *bytes, size_t count);
int bluejay_packet_receive(int socket, void *bytes, size_t limit);
// Whether the other end has hung up and no byte is left to read.
int bluejay_packet_is_over(int socket);
// The send buffer of a Bluetooth socket, for bluejay_packet_unsent; 0 for other sockets.
int bluejay_packet_capacity(int socket);
// The memory of the packets that the kernel has not sent: to the controller, or to the reader of a local socket.
// TIOCOUTQ of a Bluetooth socket is the free part of its send buffer. Returns -EPIPE if the other end has closed.
int bluejay_packet_unsent(int socket, int capacity);
int bluejay_packet_duplicate(int socket);
void bluejay_packet_close(int socket);

#endif
