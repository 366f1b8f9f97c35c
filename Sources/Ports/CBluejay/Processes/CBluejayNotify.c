// One datagram to the service manager, as sd_notify(3) sends it, without libsystemd.

#ifdef __linux__

#define _GNU_SOURCE
#include "CBluejay.h"
#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

int bluejay_notify(const char *name, const char *text, size_t length) {
    struct sockaddr_un address;
    struct timeval limit = { .tv_sec = 1 };
    size_t count = strlen(name);
    int descriptor, failure = 0;
    ssize_t sent;
    // A path or an abstract name; `vsock:` addresses are those of virtual machines.
    if (count < 2 || (name[0] != '/' && name[0] != '@')) return EAFNOSUPPORT;
    if (count > sizeof address.sun_path) return ENAMETOOLONG;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, name, count);
    if (name[0] == '@') address.sun_path[0] = 0;
    descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return errno;
    // The queue of a service manager that hangs is full; without a limit, this thread would hang with it.
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    do {
        sent = sendto(descriptor, text, length, MSG_NOSIGNAL, (struct sockaddr *)&address,
                      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count));
    } while (sent < 0 && errno == EINTR);
    if (sent < 0) failure = errno;
    close(descriptor);
    return failure;
}

#endif // __linux__
