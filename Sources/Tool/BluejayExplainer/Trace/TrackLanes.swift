/// Divides the events of a track into lanes, because the events of a lane may only nest.
struct TrackLanes {
    private struct Lane {
        /// The ends of the events that contain the next one, the outermost first.
        var ends: [Int] = []
    }

    private var lanes: [Lane] = []

    /// Returns the lane of an event; events arrive by their start, longer ones first.
    mutating func lane(from start: Int, to end: Int) -> Int {
        for index in lanes.indices {
            while let last = lanes[index].ends.last, last <= start {
                lanes[index].ends.removeLast()
            }
            guard let last = lanes[index].ends.last, last < end else {
                lanes[index].ends.append(end)
                return index
            }
        }
        lanes.append(Lane(ends: [end]))
        return lanes.count - 1
    }
}
