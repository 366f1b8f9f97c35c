internal import BluejaySimulator

/// A read of its location runs until something ends it; it can be listened to and written.
package let silentGadget = PeripheralScript.gadget([
    ScriptedCharacteristic("2A37", ["notify"], .value([])),
    ScriptedCharacteristic("2A38", ["read"], .silent),
    ScriptedCharacteristic("2A39", ["read", "write"], .value([7])),
])

/// A read of its location takes a while, longer than what is done meanwhile.
package let lateGadget = PeripheralScript.gadget([
    ScriptedCharacteristic("2A37", ["read", "notify"], .value([5])),
    ScriptedCharacteristic("2A38", ["read"], .late([9], afterSeconds: 3)),
    ScriptedCharacteristic("2A39", ["read", "write"], .value([7])),
])

/// What is written to its control point comes back in a notification of it.
package let echoGadget = PeripheralScript.gadget([
    ScriptedCharacteristic("2A37", ["notify"], .value([])),
    ScriptedCharacteristic("2A38", ["read"], .value([1])),
    ScriptedCharacteristic("2A39", ["read", "write", "notify"], .echoes([7])),
])
