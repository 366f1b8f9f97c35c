internal import BluejayCore
internal import BluejayDBus

/// `org.bluez.Agent1`: what bluetoothd asks while a device pairs.
struct Agent1 {
    /// What bluetoothd calls the object for.
    struct Handlers {
        /// It asks or shows something of a device; the call is to be answered by `reply`.
        let asked: (PairingRequest, ObjectPath, MethodInvocation) -> Void
        /// It waits for no answer any more.
        let cancelled: () -> Void
        /// It has let the agent go.
        let released: () -> Void
    }

    static let interface = "org.bluez.Agent1"
    /// We can show numbers and take them in: with each kind of device the safest way is chosen, and with
    /// one that can do neither none.
    static let capability = "KeyboardDisplay"

    /// What is put on the bus; calls of others than bluetoothd, whom `isDaemon` knows, are refused.
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
            BusMethod(name, takes: takes, gives: gives) { call in
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
                handlers.asked(request, device, call)
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

    /// Answers a question.
    static func reply(_ reply: PairingRequestStateMachine.Reply, to call: MethodInvocation) {
        switch reply {
        case .accepted: call.reply()
        case .passkey(let number): call.reply([.uint32(number)])
        case .pinCode(let code): call.reply([.string(code)])
        case .refused, .abandoned: call.fail(rejected)
        case .gaveUp, .withdrawn:
            call.fail(BusError(name: "org.bluez.Error.Canceled", message: "no answer"))
        }
    }

    private static let rejected = BusError(name: "org.bluez.Error.Rejected", message: "refused")

    private static func passkey(_ value: BusValue) -> UInt32? {
        BusNumber.passkey.read(value).map { UInt32($0) }
    }
}
