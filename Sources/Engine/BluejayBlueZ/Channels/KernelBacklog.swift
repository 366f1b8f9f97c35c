internal import DequeModule

/// The packets that the kernel has accepted and not sent.
///
/// The kernel reports the memory that its packets occupy, and no number of packets or bytes. It sends the
/// packets in order, and packets of one length occupy the same memory.
struct KernelBacklog: Equatable {
    /// The memory of the unsent packets, measured before and after a packet was accepted.
    struct Memory: Equatable {
        var before: Int
        var after: Int
    }

    /// Beyond this number of lengths, the memory is measured again.
    private static let maximumLengthCount = 256

    private(set) var byteCount = 0
    private var lengths: Deque<Int> = []
    private var acceptedCount = 0
    /// The memory of `lengths`, as far as it is known.
    private var knownMemory = 0
    /// The memory of a packet by its length.
    ///
    /// The kernel may send packets during a measurement, so the highest one is right.
    private var memoryByLength: [Int: Int] = [:]

    var isEmpty: Bool { lengths.isEmpty }
    /// The number of packets that the kernel has sent.
    var sentCount: Int { acceptedCount - lengths.count }

    /// Adds a packet; without `memory`, the kernel's report is missing.
    mutating func append(length: Int, memory: Memory?) {
        acceptedCount += 1
        byteCount += length
        lengths.append(length)
        knownMemory += knownMemory(of: length)
        guard let memory else { return }
        measure(length, memory.after - memory.before)
        update(memory: memory.after)
    }

    /// Removes the packets that have been sent, after a new report of the kernel.
    mutating func update(memory: Int) {
        guard memory > 0 else { return removeAll() }
        while let length = lengths.first, knownMemory - knownMemory(of: length) >= memory {
            lengths.removeFirst()
            byteCount -= length
            knownMemory -= knownMemory(of: length)
        }
    }

    private mutating func removeAll() {
        lengths.removeAll(keepingCapacity: true)
        byteCount = 0
        knownMemory = 0
        if memoryByLength.count > Self.maximumLengthCount { memoryByLength = [:] }
    }

    private mutating func measure(_ length: Int, _ memory: Int) {
        guard memory > knownMemory(of: length) else { return }
        memoryByLength[length] = memory
        knownMemory = lengths.reduce(0) { $0 + knownMemory(of: $1) }
    }

    private func knownMemory(of length: Int) -> Int { memoryByLength[length] ?? length }
}
