internal import BluejayGLib
internal import CBluejay
internal import Glibc

/// A libdbus connection and the driver that runs it on the context.
///
/// If a `BusConnection` is released on another thread, this object outlives it by one iteration of the
/// context.
// Once opened, it is used on the context's thread only, and libdbus counts references atomically: the
// invariant behind `@unchecked`.
@safe final class LibDBusConnection: @unchecked Swift.Sendable {
    /// The receiver of messages; weak, since a message may be read while the owner is being released.
    final class MessageTarget {
        weak var connection: BusConnection?
    }

    let target = MessageTarget()
    private let pointer: OpaquePointer
    private var loop: ConnectionDriver?

    init(
        _ address: String,
        on context: MainContext,
        clock: any EventClock
    ) throws(BusError) {
        let opened = try unsafe withDBusError { unsafe dbus_connection_open_private(address, $0) }
        guard let pointer = unsafe opened else { throw .disconnected }
        unsafe self.pointer = unsafe pointer
        // By default libdbus exits the process when the bus disconnects.
        unsafe dbus_connection_set_exit_on_disconnect(pointer, 0)
        // The connection is retained during the call because its last owner may release it there.
        loop = unsafe ConnectionDriver(pointer, on: context, clock: clock) { [target] message in
            target.connection?.receive(message)
        }
    }

    deinit {
        unsafe dbus_connection_unref(pointer)
    }

    /// Sends what the socket accepts at once, then closes; later calls do nothing.
    func close() {
        guard let loop else { return }
        self.loop = nil
        flushWithoutBlocking()
        // A starting child process still has a copy of the socket, which would hide the close from the bus.
        if let descriptor { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        unsafe dbus_connection_close(pointer)
        loop.cancel()
    }

    var descriptor: Int32? {
        var number: Int32 = -1
        guard unsafe dbus_connection_get_unix_fd(pointer, &number) != 0 else { return nil }
        return number
    }

    // `dbus_connection_flush` would block, forever if the bus does not read or has not answered `Hello`.
    private func flushWithoutBlocking() {
        var size = unsafe dbus_connection_get_outgoing_size(pointer)
        while size > 0, unsafe dbus_connection_read_write(pointer, 0) != 0 {
            let rest = unsafe dbus_connection_get_outgoing_size(pointer)
            guard rest < size else { return }
            size = rest
        }
    }

    func send(_ message: BusMessage) {
        unsafe dbus_connection_send(pointer, message.pointer, nil)
    }

    func sendReturningSerial(_ message: BusMessage) -> UInt32? {
        var serial: UInt32 = 0
        guard unsafe dbus_connection_send(pointer, message.pointer, &serial) != 0 else {
            return nil
        }
        return serial
    }

    func setUniqueName(_ name: String) {
        unsafe dbus_bus_set_unique_name(pointer, name)
    }
}
