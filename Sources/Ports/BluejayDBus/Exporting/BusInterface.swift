package struct BusInterface {
    package var name: String
    package var properties: [BusProperty]
    package var methods: [BusMethod]

    package init(_ name: String, properties: [BusProperty] = [], methods: [BusMethod] = []) {
        self.name = name
        self.properties = properties
        self.methods = methods
    }
}

package struct BusProperty {
    package var name: String
    package var signature: String
    /// Returns the current value, or nil while the object does not have the property.
    package var get: () -> BusValue?
    /// Handles `Set` with a value of the declared signature and completes the call; nil makes the property
    /// read-only.
    package var set: ((BusValue, MethodInvocation) -> Void)?

    package init(
        _ name: String,
        _ signature: String,
        get: @escaping () -> BusValue?,
        set: ((BusValue, MethodInvocation) -> Void)? = nil
    ) {
        self.name = name
        self.signature = signature
        self.get = get
        self.set = set
    }
}

package struct BusMethod {
    package var name: String
    /// The signature of the arguments.
    package var inputSignature: String
    /// The signature of the reply.
    package var outputSignature: String
    /// Handles the call, at once or later.
    package var handle: (MethodInvocation) -> Void

    package init(
        _ name: String,
        inputSignature: String = "",
        outputSignature: String = "",
        handle: @escaping (MethodInvocation) -> Void
    ) {
        self.name = name
        self.inputSignature = inputSignature
        self.outputSignature = outputSignature
        self.handle = handle
    }
}
