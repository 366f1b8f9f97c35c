internal import BluejaySimulator

/// A gadget that never answers a read of its location; it accepts subscriptions and writes.
package let silentGadget = PeripheralScript.gadget([
    ScriptedCharacteristic("2A37", ["notify"], .value([])),
    ScriptedCharacteristic("2A38", ["read"], .neverReplies),
    ScriptedCharacteristic("2A39", ["read", "write"], .value([7])),
])

/// A gadget that delays the answer to a read of its location, so that other calls happen meanwhile.
package let lateGadget = PeripheralScript.gadget([
    ScriptedCharacteristic("2A37", ["read", "notify"], .value([5])),
    ScriptedCharacteristic("2A38", ["read"], .repliesLate([9], afterSeconds: 3)),
    ScriptedCharacteristic("2A39", ["read", "write"], .value([7])),
])

/// A gadget that notifies each value written to its control point.
package let echoGadget = PeripheralScript.gadget([
    ScriptedCharacteristic("2A37", ["notify"], .value([])),
    ScriptedCharacteristic("2A38", ["read"], .value([1])),
    ScriptedCharacteristic("2A39", ["read", "write", "notify"], .echoes([7])),
])
