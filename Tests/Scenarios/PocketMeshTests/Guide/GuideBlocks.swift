// swift-format-ignore-file
// Blocks of the document, unchanged including spaces, in a file without other imports. GuideWorld.swift has
// their surroundings, such as `logger`; GuideMock.swift has the block that is a test.
//
// These blocks cannot exist; each line names the replacement:
// - "Connection State Machine", `enum BLEPhase`: its cases name values without a type,
//   `connecting(peripheral, continuation, timeoutTask)`, which is not Swift. `PocketMesh.BLEPhase` has the
//   same eleven names; `PhaseStateMachine` owns the values of a phase and frees them when the phase ends.
// - "Enabling Auto-Reconnect", `CBConnectPeripheralOption…`: options of a system that connects for an app.
//   `BLEStateMachine` reconnects by itself.
// - "State Restoration", `CBCentralManagerOption…`: options of a system that restarts an app. The parameters
//   `restoreIdentifier` and `showPowerAlert` of `BLEStateMachine` have their names.
// - "Write Serialization": the inside of an actor, with `CBPeripheral.writeValue`. Replaced by
//   `WriteStateMachine`.
import Foundation
import PocketMesh

enum Guide {
    // "MeshTransport Protocol".
    public protocol MeshTransport: Sendable {
        var receivedData: AsyncStream<Data> { get async }
        var isConnected: Bool { get async }
        func connect() async throws
        func disconnect() async
        func send(_ data: Data) async throws
    }
}

// "Handling Reconnection", the transport.
extension Guide.Transport {
    public func setReconnectionHandler(_ handler: @escaping @Sendable (UUID) -> Void) async {
        await stateMachine.setReconnectionHandler { [weak self] deviceID, stream in
            Task {
                // First capture the new data stream
                await self?.setDataStream(stream)
                // Then notify handler (stream is ready)
                handler(deviceID)
            }
        }
    }
}

// "Handling Reconnection", the manager.
extension Guide.Manager {
    func rewire() async {
        await transport.setReconnectionHandler { [weak self] deviceID in
            Task {
                await self?.handleReconnection(deviceID: deviceID)
            }
        }
    }
}

extension Guide {
    // "Disconnection Handler".
    static func handleDisconnection(of stateMachine: BLEStateMachine) async {
        await stateMachine.setDisconnectionHandler { deviceID, error in
            logger.warning("Device \(deviceID) disconnected: \(error?.localizedDescription ?? "unknown")")
            // Update UI, clean up session
        }
    }

    // "Reconnection Handler".
    static func handleReconnection(of stateMachine: BLEStateMachine) async {
        await stateMachine.setReconnectionHandler { deviceID, dataStream in
            logger.info("Device \(deviceID) reconnected")
            // Re-initialize session with new data stream
        }
    }

    // "Auto-Reconnecting Handler".
    static func handleAutoReconnecting(of stateMachine: BLEStateMachine) async {
        await stateMachine.setAutoReconnectingHandler { deviceID in
            logger.info("Device \(deviceID) entering auto-reconnect")
            // Show "Connecting..." in UI
            // Note: MeshCore session is invalid at this point
        }
    }

    // "Bluetooth State Handlers".
    static func handleBluetooth(of stateMachine: BLEStateMachine) async {
        // Called on any state change
        await stateMachine.setBluetoothStateChangeHandler { state in
            switch state {
            case .poweredOn:
                logger.info("Bluetooth powered on")
            case .poweredOff:
                logger.warning("Bluetooth powered off")
            case .unauthorized:
                logger.error("Bluetooth unauthorized")
            default:
                break
            }
        }

        // Called specifically when Bluetooth powers on
        await stateMachine.setBluetoothPoweredOnHandler {
            logger.info("Bluetooth ready")
            // Trigger device scan, reconnection attempts, etc.
        }
    }

    // "Timeouts and Configuration".
    static func makeStateMachine() -> BLEStateMachine {
        let stateMachine = BLEStateMachine(
            connectionTimeout: 15.0,
            serviceDiscoveryTimeout: 60.0,
            writeTimeout: 10.0
        )
        return stateMachine
    }
}
