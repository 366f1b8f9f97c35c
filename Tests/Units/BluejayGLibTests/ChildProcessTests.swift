import BluejayGLib
import Foundation
import TestSupport
import Testing

@Suite("A child process")
struct ChildProcessTests {
    let loop = TestLoop()

    private func status(of arguments: [String]) throws -> [Int32] {
        var record: [Int32] = []
        let process = try ChildProcess(arguments, on: loop.context) { record.append($0) }
        try loop.wait(for: "its end") { !record.isEmpty }
        withExtendedLifetime(process) {}
        return record
    }

    @Test("The exit status is reported", arguments: [0, 1, 7, 255])
    func exitStatus(code: Int32) throws {
        #expect(try status(of: ["sh", "-c", "exit \(code)"]) == [code])
    }

    @Test(
        "An exit by a signal is reported as 128 plus the number of the signal",
        arguments: [SIGTERM, SIGKILL, SIGSEGV]
    )
    func signals(number: Int32) throws {
        var record: [Int32] = []
        let process = try ChildProcess(["sleep", "60"], on: loop.context) { record.append($0) }
        process.send(signal: number)
        try loop.wait(for: "its end") { !record.isEmpty }
        #expect(record == [128 + number])
    }

    @Test("The child of a thread that blocks signals does not block them")
    func signalMask() async throws {
        // A thread of libdispatch blocks most signals, and a child would inherit that.
        let blocked = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let loop = TestLoop()
                var record: [Int32] = []
                let process = try? ChildProcess(
                    ["grep", "-q", "^SigBlk:[[:space:]]*0*$", "/proc/self/status"],
                    on: loop.context
                ) { record.append($0) }
                try? loop.wait(for: "its end") { !record.isEmpty }
                withExtendedLifetime(process) {}
                continuation.resume(returning: record)
            }
        }
        #expect(blocked == [0])
    }

    @Test("The child reads the bytes written to its input, and the end when the input is closed")
    func input() throws {
        var record: [Int32] = []
        let process = try ChildProcess(
            ["sh", "-c", "read word && [ \"$word\" = hello ] && ! read word"],
            pipesInput: true,
            on: loop.context
        ) { record.append($0) }
        let descriptor = try #require(process.inputDescriptor)
        let input = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try input.write(contentsOf: Data("hello\n".utf8))
        try input.close()
        try loop.wait(for: "its end") { !record.isEmpty }
        #expect(record == [0])
    }

    @Test("The exit is reported even if the object was released")
    func released() throws {
        var record: [Int32] = []
        _ = try ChildProcess(["true"], on: loop.context) { record.append($0) }
        try loop.wait(for: "its end") { !record.isEmpty }
        #expect(record == [0])
    }

    @Test("A missing program is an error that names it, and no exit is reported")
    func missing() throws {
        var record: [Int32] = []
        let failure = #expect(throws: ChildProcess.LaunchError.self) {
            try ChildProcess(["no-such-program-here"], on: loop.context) { record.append($0) }
        }
        #expect(failure?.description.contains("no-such-program-here") == true)
        #expect(record == [])
    }

    @Test("The child has the given output, arguments and environment")
    func output() throws {
        var record: [Int32] = []
        let process = try ChildProcess(
            ["sh", "-c", "printf '%s|' \"$0\" \"$BLUEJAY_TEST\" \"$HOME\"", "a b 'c"],
            environment: ["BLUEJAY_TEST": "ü = 1"],
            capturesOutput: true,
            on: loop.context
        ) { record.append($0) }
        try loop.wait(for: "its end") { !record.isEmpty }
        let descriptor = try #require(process.outputDescriptor)
        let output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        #expect(text == "a b 'c|ü = 1|\(home)|")
    }

    @Test("The child inherits only the three standard descriptors")
    func descriptors() throws {
        let pipe = Pipe()
        let own = pipe.fileHandleForReading.fileDescriptor
        #expect(try status(of: ["sh", "-c", "test ! -e /dev/fd/\(own)"]) == [0])
    }

    @Test("After the exit no process receives a signal")
    func signalAfterEnd() throws {
        var record: [Int32] = []
        var wasRunningAtEnd: Bool?
        var process: ChildProcess?
        process = try ChildProcess(["true"], on: loop.context) {
            record.append($0)
            wasRunningAtEnd = process?.isRunning
        }
        #expect(process?.isRunning == true)
        try loop.wait(for: "its end") { !record.isEmpty }
        // Another process may have the number by now.
        #expect(wasRunningAtEnd == false)
        process?.send(signal: SIGKILL)
        #expect(record == [0])
    }
}
