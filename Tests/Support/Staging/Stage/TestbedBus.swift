package import BluejayDBus
internal import BluejayGLib

/// A bus connection for the testbed's own calls.
///
/// Its parts are used on its own context only: the invariant behind `@unchecked`.
package final class TestbedBus: @unchecked Swift.Sendable {
    private let context = MainContext()
    private let address: String
    private var connection: BusConnection?
    package private(set) var server: ObjectServer?

    package init(_ address: String) async throws {
        self.address = address
        context.startThread(named: "stage")
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            context.post { self.open(continuation) }
        }
    }

    private func open(_ continuation: CheckedContinuation<Void, any Error>) {
        do {
            let connection = try BusConnection(.address(address), on: context)
            self.connection = connection
            server = ObjectServer(connection)
            continuation.resume()
        } catch {
            continuation.resume(throwing: error)
        }
    }

    deinit {
        let parts = Parts(connection: connection, server: server)
        context.post { parts.connection?.close() }
        context.quit()
    }

    private struct Parts: @unchecked Swift.Sendable {
        let connection: BusConnection?
        let server: ObjectServer?
    }

    package func perform(_ work: @escaping @Sendable (TestbedBus) -> Void) async {
        await withCheckedContinuation { continuation in
            context.post {
                work(self)
                continuation.resume()
            }
        }
    }

    package func uniqueName() async -> String? {
        await withCheckedContinuation { continuation in
            context.post { continuation.resume(returning: self.connection?.uniqueName) }
        }
    }

    /// Calls a method of `org.bluez`, or of another service.
    @discardableResult
    package func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        of service: String = "org.bluez"
    ) async throws -> [BusValue] {
        try await withCheckedThrowingContinuation { continuation in
            context.post {
                guard let connection = self.connection else {
                    return continuation.resume(throwing: BusError.disconnected)
                }
                let call = MethodCall(to: service, at: path, interface, member, arguments)
                connection.call(call, timeout: .seconds(30)) {
                    continuation.resume(with: $0.mapError { $0 as any Error })
                }
            }
        }
    }

    package func hasOwner(_ name: String) async throws -> Bool {
        let bus = "org.freedesktop.DBus"
        let reply = try await call(
            "/org/freedesktop/DBus",
            bus,
            "NameHasOwner",
            [.string(name)],
            of: bus
        )
        return reply.first == .boolean(true)
    }

    /// Returns a property of the gadget; `nil` if bluetoothd does not know it.
    package func property(_ name: String) async throws -> BusValue? {
        let gadget: ObjectPath = "/org/bluez/hci0/dev_C0_00_00_00_00_01"
        let arguments = [BusValue.string("org.bluez.Device1"), .string(name)]
        do {
            return try await call(gadget, "org.freedesktop.DBus.Properties", "Get", arguments).first
        } catch let error as BusError where error.name.contains(".Unknown") {
            return nil
        }
    }

    package func objects() async throws -> [String] {
        let manager = "org.freedesktop.DBus.ObjectManager"
        let reply = try await call(.root, manager, "GetManagedObjects")
        return (reply.first?.entries ?? []).compactMap { $0.key.path?.text }
    }
}

/// Runs a program to its end; throws if its status is not 0.
package func runCommand(_ arguments: [String]) async throws {
    let context = MainContext()
    context.startThread(named: "command")
    defer { context.quit() }
    let status: Int32 = try await withCheckedThrowingContinuation { continuation in
        context.post {
            let holder = Holder()
            do {
                holder.process = try ChildProcess(arguments, on: context) { status in
                    holder.process = nil
                    continuation.resume(returning: status)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
    guard status == 0 else {
        throw TestbedError("`\(arguments.joined(separator: " "))` ended with \(status)")
    }
}

private final class Holder {
    var process: ChildProcess?
}
