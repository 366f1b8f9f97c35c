package import BluejayCore
package import BluejayDBus
package import FoundationEssentials

/// A pending `ReadValue` or `WriteValue` call from bluetoothd to an exported attribute.
///
/// Every option may be missing: `offset` if it is 0, `mtu` before BlueZ 5.59.
package struct AttributeRequest {
    /// The central's object, or `nil` if bluetoothd did not name it.
    package private(set) var device: ObjectPath?
    /// The offset in the value, in bytes.
    package private(set) var offset = 0
    /// The ATT MTU of the central's link.
    package private(set) var mtu: Int?
    /// Whether bluetoothd only checks if a write is permitted, without writing.
    package private(set) var isPrepareAuthorization = false
    package private(set) var value = Data()

    /// Whether the offset is known; an unreadable offset does not count as 0.
    private var isValid = true
    private let call: MethodInvocation
    private let isWrite: Bool

    init(read call: MethodInvocation) {
        self.call = call
        isWrite = false
        parseOptions(call.message.reader)
    }

    init(write call: MethodInvocation) {
        self.call = call
        isWrite = true
        var arguments = call.message.reader
        value = arguments.data() ?? Data()
        if arguments.next() { parseOptions(arguments) }
    }

    /// The two methods that characteristics and descriptors share.
    static func methods(_ handler: any AttributeHandler) -> [BusMethod] {
        [
            BusMethod("ReadValue", inputSignature: "a{sv}", outputSignature: "ay") {
                [weak handler] call in
                let call = AttributeRequest(read: call)
                guard call.isValid else { return call.reject(.invalidOffset) }
                handler?.read(call)
            },
            BusMethod("WriteValue", inputSignature: "aya{sv}") { [weak handler] call in
                let call = AttributeRequest(write: call)
                guard call.isValid else { return call.reject(.invalidOffset) }
                handler?.write(call)
            },
        ]
    }

    package func reply(_ value: Data) {
        call.reply { $0.data(value) }
    }

    package func accept() {
        call.reply()
    }

    package func reject(_ error: ATTError) {
        call.fail(ATTErrorReply.error(error, ofWrite: isWrite))
    }

    private static let options = ["device", "mtu", "offset", "prepare-authorize"]

    private mutating func parseOptions(_ argument: BusReader) {
        guard var options = argument.enter() else { return }
        while var option = options.enter() {
            if let index = option.position(in: Self.options), option.next(), option.openVariant() {
                parseOption(index, option)
            }
            options.next()
        }
    }

    private mutating func parseOption(_ index: Int, _ value: borrowing BusReader) {
        switch index {
        case 0: device = value.path()
        case 1: mtu = BusNumber.mtu.read(value)
        case 2:
            offset = BusNumber.offset.read(value) ?? 0
            isValid = isValid && BusNumber.offset.read(value) != nil
        default: isPrepareAuthorization = value.boolean() ?? false
        }
    }
}
