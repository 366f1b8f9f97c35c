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
            state { $0.rssiObservers.register(rssiObserver) }
        }

        /// Removes an observer of the signal strength.
        public func unregister(rssiObserver: any RSSIObserver) {
            state { $0.rssiObservers.unregister(rssiObserver) }
        }

        /// Reads the signal strength of the connected peripheral.
        ///
        /// BlueZ knows the strength of advertisements only: there is a value while the peripheral is
        /// advertising and somebody scans, and ``BluejayError/notSupported(_:)`` otherwise.
        ///
        /// - Throws: ``BluejayError/notConnected`` or ``BluejayError/backgroundTaskRunning``; everything
        ///   else is told to the ``RSSIObserver``s, once for each call.
        public func readRSSI() throws {
            guard mainLoop.isCurrent || !TaskThread.isCurrent else {
                throw BluejayError.backgroundTaskRunning.during(.readRSSI)
            }
            checkLoop()
            try runner.tellRSSI()
        }
    }

    extension OperationRunner {
        /// Tells the observers the signal strength, in a later turn.
        fileprivate func tellRSSI() throws(BluejayError) {
            var rssi = 127
            var reason: BluejayError?
            do {
                rssi = try self.rssi()
            } catch {
                guard error.code == .notSupported else { throw error }
                reason = error
            }
            guard let peripheral else { throw .notConnected }
            let runner = Confined(self)
            context.post { [rssi, reason] in
                for observer in runner.value.rssiObservers.snapshot() {
                    observer.didReadRSSI(
                        from: peripheral,
                        RSSI: NSNumber(value: rssi),
                        error: reason
                    )
                }
            }
        }
    }
#endif
