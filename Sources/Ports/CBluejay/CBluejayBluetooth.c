// Bluetooth sockets of the kernel. The constants are those of its user-space headers, which the development
// packages of distributions do not include.

#ifdef __linux__

#define _GNU_SOURCE
#include "CBluejayBluetooth.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PROTOCOL_L2CAP = 0,
    LEVEL_BLUETOOTH = 274,
    OPTION_SECURITY = 4,
    OPTION_SEND_MTU = 12,
    OPTION_RECEIVE_MTU = 13
};

struct security {
    uint8_t level;
    uint8_t key_size;
};

_Static_assert(sizeof(bluejay_l2cap_address) == 14, "the kernel's sockaddr_l2 has 14 bytes");

static int result_of(int value) { return value < 0 ? -errno : value; }

static bluejay_l2cap_address address_of(const uint8_t *octets, int kind, uint16_t psm) {
    bluejay_l2cap_address address;
    memset(&address, 0, sizeof address);
    address.family = AF_BLUETOOTH;
    address.psm = htole16(psm);
    for (int i = 0; i < 6; i++) address.address[i] = octets[5 - i];
    address.kind = (uint8_t)kind;
    return address;
}

int bluejay_channel_socket(void) {
    return result_of(
        socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, PROTOCOL_L2CAP));
}

int bluejay_channel_bind(int socket, const uint8_t *octets, int kind, uint16_t psm) {
    bluejay_l2cap_address address = address_of(octets, kind, psm);
    return result_of(bind(socket, (struct sockaddr *)&address, sizeof address));
}

int bluejay_channel_connect(int socket, const uint8_t *octets, int kind, uint16_t psm) {
    bluejay_l2cap_address address = address_of(octets, kind, psm);
    return result_of(connect(socket, (struct sockaddr *)&address, sizeof address));
}

int bluejay_channel_listen(int socket, int backlog) { return result_of(listen(socket, backlog)); }

int bluejay_channel_accept(int socket, uint8_t *octets, int *kind) {
    bluejay_l2cap_address address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    int accepted = result_of(
        accept4(socket, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (accepted < 0) return accepted;
    for (int i = 0; i < 6; i++) octets[i] = address.address[5 - i];
    *kind = address.kind;
    return accepted;
}

int bluejay_channel_psm(int socket) {
    bluejay_l2cap_address address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    int result = result_of(getsockname(socket, (struct sockaddr *)&address, &length));
    return result < 0 ? result : le16toh(address.psm);
}

int bluejay_channel_set_security(int socket, int level) {
    struct security security = {(uint8_t)level, 0};
    return result_of(
        setsockopt(socket, LEVEL_BLUETOOTH, OPTION_SECURITY, &security, sizeof security));
}

int bluejay_channel_set_receive_mtu(int socket, uint16_t mtu) {
    return result_of(setsockopt(socket, LEVEL_BLUETOOTH, OPTION_RECEIVE_MTU, &mtu, sizeof mtu));
}

int bluejay_channel_send_mtu(int socket) {
    uint16_t mtu = 0;
    socklen_t length = sizeof mtu;
    int result = result_of(getsockopt(socket, LEVEL_BLUETOOTH, OPTION_SEND_MTU, &mtu, &length));
    return result < 0 ? result : mtu;
}

int bluejay_channel_error(int socket) {
    int error = 0;
    socklen_t length = sizeof error;
    int result = result_of(getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length));
    return result < 0 ? result : -error;
}

// A call interrupted by a signal is repeated.
int bluejay_packet_send(int socket, const void *bytes, size_t count) {
    ssize_t sent;
    do sent = send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return result_of((int)sent);
}

int bluejay_packet_receive(int socket, void *bytes, size_t limit) {
    ssize_t received;
    do received = recv(socket, bytes, limit, MSG_DONTWAIT);
    while (received < 0 && errno == EINTR);
    return result_of((int)received);
}

// A read of zero bytes is an empty packet unless the other end has hung up and nothing is left. What is left may begin
// with empty packets: a local socket counts the bytes of all packets, a Bluetooth socket those of the first one, but
// also the memory of all packets.
int bluejay_packet_is_over(int socket) {
    struct pollfd state = {.fd = socket, .events = POLLIN | POLLRDHUP};
    if (poll(&state, 1, 0) <= 0 || !(state.revents & (POLLHUP | POLLRDHUP))) return 0;
    int count = 0;
    if (ioctl(socket, FIONREAD, &count) == 0 && count > 0) return 0;
    uint32_t memory[SK_MEMINFO_VARS] = {0};
    socklen_t length = sizeof memory;
    if (getsockopt(socket, SOL_SOCKET, SO_MEMINFO, memory, &length) < 0) return 1;
    return memory[SK_MEMINFO_RMEM_ALLOC] == 0;
}

int bluejay_packet_capacity(int socket) {
    int domain = 0, size = 0;
    socklen_t length = sizeof domain;
    if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0) return -errno;
    if (domain != AF_BLUETOOTH) return 0;
    length = sizeof size;
    return getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, &length) < 0 ? -errno : size;
}

int bluejay_packet_unsent(int socket, int capacity) {
    int amount = 0;
    if (ioctl(socket, TIOCOUTQ, &amount) < 0) return -errno;
    // Looked up afterwards: the kernel marks the socket as closed before it discards the packets.
    struct pollfd state = {.fd = socket, .events = 0};
    if (poll(&state, 1, 0) > 0) return -EPIPE;
    if (capacity > 0) amount = capacity - amount;
    return amount > 0 ? amount : 0;
}

int bluejay_packet_duplicate(int socket) {
    return result_of(fcntl(socket, F_DUPFD_CLOEXEC, 0));
}

/* A child process that is being started still has a copy of the descriptor, which would keep the channel open. */
void bluejay_packet_close(int socket) {
    shutdown(socket, SHUT_RDWR);
    close(socket);
}

#endif
