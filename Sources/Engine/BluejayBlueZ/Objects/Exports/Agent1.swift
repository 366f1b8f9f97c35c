internal import BluejayCore
internal import BluejayDBus

/// The users of an agent, from those with the least to those with the most abilities.
package enum AgentCapability: Comparable, Swift.Sendable {
    /// They neither show nor enter numbers: devices pair without one, whatever they can do.
    case noInputOrOutput
    /// They enter numbers and show none: both sides know the number before, or the device shows it.
    case keyboard
    /// They show and enter numbers.
    ///
    /// bluetoothd uses the safest method that the device supports, and no confirmation if the device can do
    /// neither.
    case keyboardAndDisplay

    /// The name that bluetoothd has for it.
    var name: String {
        switch self {
        case .noInputOrOutput: "NoInputNoOutput"
        case .keyboard: "KeyboardOnly"
        case .keyboardAndDisplay: "KeyboardDisplay"
        }
    }
}

/// `org.bluez.Agent1`: handles requests from bluetoothd during pairing.
struct Agent1 {
    struct Handlers {
        /// bluetoothd requests or displays something for a device; complete the call with `reply`.
        let requested: (PairingRequest, ObjectPath, MethodInvocation) -> Void
        /// bluetoothd no longer waits for a reply.
        let cancelled: () -> Void
        let released: () -> Void
    }

    enum Reply {
        case accepted
        case passkey(UInt32)
        case pinCode(String)
        case rejected
        /// The request ended without an answer.
        case cancelled
    }

    static let interface = "org.bluez.Agent1"

    /// The D-Bus interface to export; it rejects callers for which `isDaemon` is false.
    static func busInterface(
        isDaemon: @escaping (String) -> Bool,
        _ handlers: Handlers
    ) -> BusInterface {
        func method(
            _ name: String,
            _ takes: String,
            gives: String = "",
            _ handle: @escaping (MethodInvocation) -> Void
        ) -> BusMethod {
            BusMethod(name, inputSignature: takes, outputSignature: gives) { call in
                guard isDaemon(call.sender) else { return call.fail(rejected) }
                handle(call)
            }
        }
        func question(
            _ name: String,
            _ takes: String,
            gives: String = "",
            _ read: @escaping ([BusValue]) -> PairingRequest?
        ) -> BusMethod {
            method(name, takes, gives: gives) { call in
                guard let device = call.arguments.first?.path, let request = read(call.arguments)
                else { return call.fail(rejected) }
                handlers.requested(request, device, call)
            }
        }
        func told(_ name: String, _ handle: @escaping () -> Void) -> BusMethod {
            method(name, "") { call in
                call.reply()
                handle()
            }
        }
        return BusInterface(
            interface,
            methods: [
                told("Release", handlers.released),
                question("RequestPinCode", "o", gives: "s") { _ in .pinCode },
                question("DisplayPinCode", "os") { $0[1].text.map { .displayPinCode($0) } },
                question("RequestPasskey", "o", gives: "u") { _ in .passkey },
                question("DisplayPasskey", "ouq") { arguments in
                    guard let passkey = passkey(arguments[1]),
                        let entered = BusNumber.enteredDigits.read(arguments[2])
                    else { return nil }
                    return .displayPasskey(passkey, entered: entered)
                },
                question("RequestConfirmation", "ou") { arguments in
                    passkey(arguments[1]).map { .confirmation(passkey: $0) }
                },
                question("RequestAuthorization", "o") { _ in .authorization },
                question("AuthorizeService", "os") { arguments in
                    arguments[1].text.map { .service(ServiceIdentifier(uuid: $0)) }
                },
                told("Cancel", handlers.cancelled),
            ]
        )
    }

    static func reply(_ reply: Reply, to call: MethodInvocation) {
        switch reply {
        case .accepted: call.reply()
        case .passkey(let number): call.reply([.uint32(number)])
        case .pinCode(let code): call.reply([.string(code)])
        case .rejected: call.fail(rejected)
        case .cancelled:
            call.fail(BusError(name: "org.bluez.Error.Canceled", message: "no answer"))
        }
    }

    private static let rejected = BusError(name: "org.bluez.Error.Rejected", message: "refused")

    private static func passkey(_ value: BusValue) -> UInt32? {
        BusNumber.passkey.read(value).map { UInt32($0) }
    }
}
