/// The peripherals of a scan, in the order of their discovery.
///
/// A report of a known peripheral costs a dictionary update; its element is created when the list is read.
/// `all()` returns the stored array, which is copied only if the caller keeps it beyond the next change.
struct ScanList<Key: Hashable, Report, Element> {
    private let make: (Report) -> Element
    private var elements: [Element] = []
    /// The number of each element, ascending, which locates elements after others were removed.
    private var numbers: [Int] = []
    private var numberOfKey: [Key: Int] = [:]
    private var lastNumber = 0
    /// The latest reports that `elements` does not contain yet.
    private var pendingReports: [Key: Report] = [:]
    /// The keys of `pendingReports`, possibly with keys that were removed since.
    private var outdatedKeys: [Key] = []

    init(_ make: @escaping (Report) -> Element) {
        self.make = make
    }

    /// Stores the latest report of a key.
    mutating func set(_ key: Key, _ report: Report) {
        guard numberOfKey[key] == nil else {
            if pendingReports.updateValue(report, forKey: key) == nil { outdatedKeys.append(key) }
            return
        }
        append(key, make(report))
    }

    /// Stores the latest report of a key, and returns its element.
    mutating func update(_ key: Key, _ report: Report) -> Element {
        let element = make(report)
        guard let number = numberOfKey[key] else {
            append(key, element)
            return element
        }
        if !pendingReports.isEmpty { pendingReports[key] = nil }
        elements[index(of: number)] = element
        return element
    }

    private mutating func append(_ key: Key, _ element: Element) {
        lastNumber += 1
        numberOfKey[key] = lastNumber
        numbers.append(lastNumber)
        elements.append(element)
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Element? {
        guard let number = numberOfKey.removeValue(forKey: key) else { return nil }
        let position = index(of: number)
        numbers.remove(at: position)
        let element = elements.remove(at: position)
        return pendingReports.removeValue(forKey: key).map(make) ?? element
    }

    mutating func all() -> [Element] {
        guard !outdatedKeys.isEmpty else { return elements }
        for key in outdatedKeys {
            guard let report = pendingReports.removeValue(forKey: key),
                let number = numberOfKey[key]
            else {
                continue
            }
            elements[index(of: number)] = make(report)
        }
        outdatedKeys.removeAll(keepingCapacity: true)
        return elements
    }

    private func index(of number: Int) -> Int {
        var lower = 0
        var upper = numbers.count
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if numbers[middle] < number { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
