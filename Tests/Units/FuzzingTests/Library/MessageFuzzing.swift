import Foundation

@testable import BluejayDBus

/// Feeds messages of the bus to the readers of arguments.
///
/// The first byte selects the form: values, which a message must return unchanged; a signature and a body,
/// behind a valid header; or a whole message. All ways to read an accepted message must agree.
enum MessageFuzzing {
    static func play(_ bytes: Data) throws {
        var input = FuzzInput(bytes)
        switch input.number(below: 3) {
        case 0: try playValues(&input)
        case 1:
            let message = header(&input) + Data(input.rest)
            try received(message).map { try check($0) }
        default: try received(Data(input.rest)).map { try check($0) }
        }
    }

    private static func playValues(_ input: inout FuzzInput) throws {
        let values = (0...input.number(below: 4)).map { _ in input.value() }
        guard let message = BusMessage.fuzzed(values) else { return }
        let read = try message.arguments()
        try expect(read == values, "\(values) were read as \(read)")
        try expect(
            message.signature == values.map(\.signature).joined(),
            "the signature is \(message.signature)"
        )
        try check(message)
    }

    // MARK: Messages as bytes

    private typealias Parse =
        @convention(c) (UnsafePointer<UInt8>?, Int32, UnsafeMutableRawPointer?) -> OpaquePointer?

    /// `dbus_message_demarshal`, which the library itself does not use.
    private static let parse: Parse? = {
        guard let function = unsafe dlsym(nil, "dbus_message_demarshal") else { return nil }
        return unsafe unsafeBitCast(function, to: Parse.self)
    }()

    /// Parses a message as libdbus does when it arrives; `nil` if libdbus rejects it.
    private static func received(_ bytes: Data) throws -> BusMessage? {
        let bytes = [UInt8](bytes)
        guard let parse = unsafe Self.parse else {
            throw Fuzzing.Violation(description: "libdbus does not parse messages")
        }
        return unsafe parse(bytes, Int32(bytes.count), nil).map { unsafe BusMessage(owning: $0) }
    }

    /// The header of a signal, in either byte order, for the rest of the input as its body.
    private static func header(_ input: inout FuzzInput) -> Data {
        let isLittleEndian = input.flag()
        let signature = (0..<input.number(below: 24)).map { _ in
            input.choice(of: Array("ybnqiuxtdsogav(){}h".utf8))
        }
        var header = Data([isLittleEndian ? 0x6C : 0x42, 4, 0, 1])
        func append(_ number: UInt32) {
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            header += isLittleEndian ? bytes : bytes.reversed()
        }
        append(UInt32(input.rest.count))
        append(1)
        append(0)
        let start = header.count
        for (field, type, text) in [(1, "o", "/"), (2, "s", "a.b"), (3, "s", "c")] {
            pad(&header)
            header += [UInt8(field), 1] + type.utf8 + [0]
            append(UInt32(text.utf8.count))
            header += text.utf8 + [0]
        }
        pad(&header)
        header += [8, 1] + "g".utf8 + [0, UInt8(signature.count)] + signature + [0]
        let length = header.count - start
        for index in 0..<4 {
            let shift = 8 * (isLittleEndian ? index : 3 - index)
            header[12 + index] = UInt8(truncatingIfNeeded: length >> shift)
        }
        pad(&header)
        return header
    }

    private static func pad(_ bytes: inout Data) {
        while !bytes.count.isMultiple(of: 8) { bytes.append(0) }
    }

    // MARK: Readers

    private static func check(_ message: BusMessage) throws {
        let values = try message.arguments()
        var reader = message.reader
        for value in values {
            try check(reader, value)
            reader.next()
        }
        try expect(reader.kind == .end, "\(reader.kind) follows the last of \(values)")
        try checkOnlyChange(message.reader, values)
        _ = message.error
    }

    private static func check(_ reader: BusReader, _ value: BusValue) throws {
        try checkNumbers(reader, value)
        switch value {
        case .string(let text):
            try expect(reader.isString(text), "\(text) is not itself")
            try expect(!reader.isString(text + "a"), "\(text) is longer than itself")
            try expect(reader.position(in: ["", text]) != nil, "\(text) is not found")
        case .objectPath(let path): try expect(reader.isPath(path), "\(path) is not itself")
        case .array(let elements, _): try checkElements(reader.enter(), elements)
        case .structure(let fields): try checkElements(reader.enter(), fields)
        case .variant(let inner):
            var opened = reader
            try expect(opened.openVariant(), "a variant cannot be opened")
            try check(opened, inner)
        case .dictionary(let entries, _, _): try checkEntries(reader, entries)
        default: break
        }
    }

    private static func checkNumbers(_ reader: BusReader, _ value: BusValue) throws {
        let isInVariant = reader.kind == .variant
        try expect(
            isInVariant || reader.integer() == value.integer,
            "\(value) is read as \(String(describing: reader.integer()))"
        )
        try expect(
            isInVariant || reader.boolean() == value.boolean,
            "\(value) is read as \(String(describing: reader.boolean()))"
        )
        try expect(isInVariant || reader.string() == value.text, "\(value) is read otherwise")
        try expect(isInVariant || reader.path() == value.path, "\(value) is read otherwise")
        try expect(isInVariant || reader.bytes() == value.bytes, "\(value) is read otherwise")
        try expect(reader.data().map { [UInt8]($0) } == reader.bytes(), "the bytes differ")
    }

    private static func checkElements(_ reader: BusReader?, _ values: [BusValue]) throws {
        guard var reader else { throw Fuzzing.Violation(description: "a container is closed") }
        for value in values {
            try check(reader, value)
            reader.next()
        }
        try expect(reader.kind == .end, "\(reader.kind) follows the last of \(values)")
    }

    private static func checkEntries(_ reader: BusReader, _ entries: [BusEntry]) throws {
        var position = reader.enterDictionary()
        try expect(position != nil, "a dictionary is closed")
        var first: [String: BusValue] = [:]
        for entry in entries {
            guard var content = position?.enter() else {
                throw Fuzzing.Violation(description: "an entry is missing")
            }
            try check(content, entry.key)
            content.next()
            try check(content, entry.value)
            try expect(!content.next(), "an entry has a third part")
            position?.next()
            if case .string(let name) = entry.key, first[name] == nil {
                first[name] = entry.value.unwrapped
            }
        }
        guard first.count > 0 else { return }
        let named = reader.namedValues()
        try expect(isSame(named, first), "\(first) is read as \(String(describing: named))")
    }

    /// Compares values by their texts if they differ, because NaN differs from itself.
    private static func isSame<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
        one == other || "\(String(describing: one))" == "\(String(describing: other))"
    }

    /// Compares the short way to read `PropertiesChanged` with the long one.
    private static func checkOnlyChange(_ reader: BusReader, _ values: [BusValue]) throws {
        guard case .string(let interface)? = values.first, values.count > 1,
            case .dictionary(let entries, "s", "v") = values[1]
        else { return }
        let names = Set(entries.compactMap(\.key.text))
        for name in names.union(["Value"]) {
            let change = reader.onlyChange(of: interface, to: name)
            let expected = entries.count == 1 && names == [name] ? entries[0].value : nil
            try expect(
                isSame(change.flatMap { $0.value() }.map { .variant($0) }, expected),
                "\(entries) is read as \(String(describing: change?.value()))"
            )
        }
        try expect(reader.onlyChange(of: interface + "a", to: "") == nil, "another interface")
    }
}
