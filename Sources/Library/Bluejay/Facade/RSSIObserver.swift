// Of Foundation: the number of an observer, which on iOS is that of CoreBluetooth.
#if Foundation
    internal import BluejayBlueZ
    internal import BluejayGLib
    public import Foundation

    /// Is told the signal strength after it was asked for.
    public protocol RSSIObserver: AnyObject {
        /// The signal strength of the connected peripheral was read.
        ///
        /// - Parameters:
        ///   - peripheral: The connected peripheral.
        ///   - RSSI: The signal strength in dBm; meaningless with an error.
        ///   - error: Why it could not be read, or `nil`.
        func didReadRSSI(
            from peripheral: PeripheralIdentifier,
            RSSI: NSNumber,
            error: (any Error)?
        )
    }

    extension Bluejay {
        /// Adds an observer of the signal strength, or moves it to the end; held weakly.
        public func register(rssiObserver: any RSSIObserver) {
            change { $0.observers.register(rssiObserver) }
        }

        /// Removes an observer of the signal strength.
        public func unregister(rssiObserver: any RSSIObserver) {
            change { $0.observers.unregister(rssiObserver) }
        }

        /// Reads the signal strength of the connected peripheral.
        ///
        /// BlueZ knows the strength of advertisements only: there is a value while the peripheral is
        /// advertising and somebody scans, and ``BluejayError/notSupported(_:)`` otherwise.
        ///
        /// - Throws: ``BluejayError/notConnected`` or ``BluejayError/backgroundTaskRunning``; everything
        ///   else is told to the ``RSSIObserver``s, once for each call.
        public func readRSSI() throws {
            guard mainLoop.isElsewhere else { return try instance.tellRSSI() }
            guard !TaskThread.isCurrent else {
                throw BluejayError.backgroundTaskRunning.during(.readRSSI)
            }
            guard let peripheral = connectedPeripheral else { throw BluejayError.notConnected }
            mainLoop.relay { [instance] in
                do throws(BluejayError) {
                    try instance.tellRSSI()
                } catch {
                    // What was published was no longer so.
                    instance.tellRSSI(127, of: peripheral, error)
                }
            }
        }
    }

    extension Instance {
        /// Tells the observers the signal strength, in a later turn.
        fileprivate func tellRSSI() throws(BluejayError) {
            var rssi = 127
            var reason: BluejayError?
            guard !gate.isRunningTask else { throw .backgroundTaskRunning.during(.readRSSI) }
            do {
                rssi = try link.rssi()
            } catch {
                guard error.code == .notSupported else { throw error }
                reason = error
            }
            guard let peripheral = link.peripheral else { throw .notConnected }
            let instance = Confined(self)
            context.post { [rssi, reason] in instance.value.tellRSSI(rssi, of: peripheral, reason) }
        }

        fileprivate func tellRSSI(
            _ rssi: Int,
            of peripheral: PeripheralIdentifier,
            _ reason: BluejayError?
        ) {
            observers.notifyRSSI {
                $0.didReadRSSI(from: peripheral, RSSI: NSNumber(value: rssi), error: reason)
            }
        }
    }
#endif
