import Bluejay
import BluejaySimulator
import Foundation
import Testing

private enum AuthResponse: UInt8 {
    case refused, success
}

private let userAuth = CharacteristicIdentifier(uuid: "FF01", service: heartRateService)
private let adminAuth = CharacteristicIdentifier(uuid: "FF02", service: heartRateService)

// Its task uses constants only, which justifies `@unchecked`.
private class AuthenticationScreen: Screen, @unchecked Swift.Sendable {
    // swift-format-ignore
    func authenticate(_ enteredPassword: String?) {
        let debugPrint = notes.write
        // document: 27 background task
        var isUserAuthenticated = false
        var isAdminAuthenticated = false

        bluejay.run(backgroundTask: { (peripheral) -> (Bool, Bool) in
            // 1. No need to perform any Bluetooth tasks if there's no password to try.
            guard let password = enteredPassword else {
              return (false, false)
            }

            // 2. Flush auth characteristics in case they are still broadcasting unwanted data.
            try peripheral.flushListen(to: userAuth, nonZeroTimeout: .seconds(3), completion: {
                debugPrint("Flushed buffered data on the user auth characteristic.")
            })

            try peripheral.flushListen(to: adminAuth, nonZeroTimeout: .seconds(3), completion: {
                debugPrint("Flushed buffered data on the admin auth characteristic.")
            })

            // 3. Sanity checks, making sure the characteristics are not broadcasting anymore.
            try peripheral.endListen(to: userAuth)
            try peripheral.endListen(to: adminAuth)

            // 4. Attempt authentication.
            if let passwordData = password.data(using: .utf8) {
                debugPrint("Begin authentication...")

                try peripheral.writeAndListen(
                    writeTo: userAuth,
                    value: passwordData,
                    listenTo: userAuth,
                    timeoutInSeconds: .seconds(15),
                    completion: { (response: UInt8) -> ListenAction in
                        if let responseCode = AuthResponse(rawValue: response) {
                            isUserAuthenticated = responseCode == .success
                        }

                        return .done
                })

                try peripheral.writeAndListen(
                    writeTo: adminAuth,
                    value: passwordData,
                    listenTo: adminAuth,
                    timeoutInSeconds: .seconds(15),
                    completion: { (response: UInt8) -> ListenAction in
                        if let responseCode = AuthResponse(rawValue: response) {
                            isAdminAuthenticated = responseCode == .success
                        }

                        return .done
                })
            }

            // 5. Return results of authentication.
            return (isUserAuthenticated, isAdminAuthenticated)
        }, completionOnMainThread: { (result) in
            switch result {
            case .success(let authResults):
                debugPrint("Is user authenticated: \(authResults.0)")
                debugPrint("Is admin authenticated: \(authResults.1)")
            case .failure(let error):
                debugPrint("Background task failed with error: \(error.localizedDescription)")
            }
        })
        // end
    }

    func flush(_ auth: CharacteristicIdentifier) {
        let notes = notes
        bluejay.run(
            backgroundTask: { peripheral in try self.flush(auth, of: peripheral) },
            completionOnMainThread: { result in notes.write("ended \(result)") }
        )
    }

    // swift-format-ignore
    func flush(_ auth: CharacteristicIdentifier, of peripheral: SynchronizedPeripheral) throws {
        let debugPrint = notes.write
        // document: 32 flush a listen
        try peripheral.flushListen(to: auth, nonZeroTimeout: .seconds(3), completion: {
            debugPrint("Flushed buffered data on the auth characteristic.")
        })
        // end
    }

    func countDown(from number: Int) {
        let notes = notes
        bluejay.run(
            userData: number,
            backgroundTask: { peripheral, number -> [UInt8] in
                try (0..<number).map { _ in try peripheral.read(from: bodySensorLocation) }
            },
            completionOnMainThread: { result in
                if case .success(let values) = result { notes.write("read \(values)") }
            }
        )
    }
}

/// Accepts and records a password; the test sends the answer.
private func lock(_ notes: Notes) -> [ScriptedCharacteristic] {
    ["FF01", "FF02"].map { uuid in
        ScriptedCharacteristic(
            uuid,
            ["write", "notify"],
            .decides { bytes in
                notes.write("\(uuid) got \(String(decoding: bytes, as: UTF8.self))")
                return nil
            }
        )
    }
}

@Suite("Blocks of the iOS README: background task", .timeLimit(.minutes(15)))
struct BackgroundTaskTests {
    @Test("Block 27 writes both passwords and receives both responses")
    func authenticate() async throws {
        try await with(AuthenticationScreen.self) { stage in
            let notes = stage.notes
            await stage.connect(to: lock(notes))
            await stage.on { $0.authenticate("secret") }
            await notes.wait(for: "FF01 got secret")
            await stage.device { $0.send([1], on: "FF01") }
            await notes.wait(for: "FF02 got secret")
            await stage.device { $0.send([0], on: "FF02") }
            await notes.wait(for: "Is admin")
            check(
                notes.lines.drop { !$0.hasPrefix("connected") },
                is: [
                    "connected Gadget",
                    "Flushed buffered data on the user auth characteristic.",
                    "Flushed buffered data on the admin auth characteristic.",
                    "Begin authentication...", "FF01 got secret", "FF02 got secret",
                    "Is user authenticated: true", "Is admin authenticated: false",
                ]
            )
            check(await stage.ask { $0.listenerCount(of: "FF01") }, is: 0)
            check(await stage.ask { $0.listenerCount(of: "FF02") }, is: 0)
        }
    }

    @Test("Block 27 writes nothing without a password")
    func noPassword() async throws {
        try await with(AuthenticationScreen.self) { stage in
            await stage.connect(to: lock(stage.notes))
            await stage.on { $0.authenticate(nil) }
            await stage.notes.wait(for: "Is admin")
            #expect(
                stage.notes.lines.suffix(2) == [
                    "Is user authenticated: false", "Is admin authenticated: false",
                ]
            )
            #expect(await stage.writes().isEmpty)
        }
    }

    @Test("Block 27 reports the error that ends the task")
    func lostLink() async throws {
        try await with(AuthenticationScreen.self) { stage in
            await stage.connect(to: lock(stage.notes))
            await stage.on { $0.authenticate("secret") }
            await stage.notes.wait(for: "FF01 got secret")
            await stage.device { $0.leaveRange() }
            await stage.notes.wait(for: "Background task failed with error: ")
            check(stage.notes.lines.contains { $0.hasPrefix("Is user") }, is: false)
        }
    }

    @Test("Block 32 ends a flush three seconds after the last value")
    func flush() async throws {
        try await with(AuthenticationScreen.self) { stage in
            await stage.connect(to: lock(stage.notes))
            await stage.on { $0.flush(userAuth) }
            try await stage.untilSomebodyListens(to: "FF01")
            // A flush that does not restart its three seconds would end two seconds later. A busy computer has
            // these two seconds for the sleep and the value.
            try await Task.sleep(for: .seconds(1))
            // Measured before the value is sent, so that a slow machine can only lengthen the time.
            let last = ContinuousClock.now
            await stage.device { $0.send([9], on: "FF01") }
            await stage.notes.wait(for: "ended")
            #expect(ContinuousClock.now - last >= .seconds(3))
            #expect(
                stage.notes.lines.suffix(2) == [
                    "Flushed buffered data on the auth characteristic.", "ended success()",
                ]
            )
            check(await stage.ask { $0.listenerCount(of: "FF01") }, is: 0)
        }
    }

    @Test("A background task receives the user data")
    func userData() async throws {
        try await with(AuthenticationScreen.self) { stage in
            await stage.connect(to: [ScriptedCharacteristic("2A38", ["read"], .value([7]))])
            await stage.on { $0.countDown(from: 3) }
            await stage.notes.wait(for: "read [7, 7, 7]")
        }
    }

    @Test(
        "A background task defined on the main actor runs on a background thread",
        arguments: [("session", "session [7, 9]"), ("task", "task 7")]
    )
    func isolated(name: String, result: String) async throws {
        let system = try await SimulatedSystem.start()
        await system.perform { world in
            world.add(
                gadget([ScriptedCharacteristic("2A39", ["read", "write", "notify"], .echoes([7]))])
            )
        }
        let program = try await Program([name], bus: system.busAddress)
        await program.notes.wait(for: name)
        #expect(program.notes.lines.last == result)
        await program.kill()
        system.stop()
    }
}
