import BluejayCore

extension CyclingSpeedAndCadenceReading: FieldedReading {
    var fields: [ReadingField] {
        var fields: [ReadingField] = []
        fields.add("wheel", wheel)
        fields.add("crank", crank)
        return fields
    }
}

extension CyclingPowerReading: FieldedReading {
    var fields: [ReadingField] {
        var fields = [ReadingField("power", Double(watts), "W")]
        fields.add(isBalanceOfLeftPedal ? "left pedal" : "pedal balance", pedalPowerBalance, "%")
        fields.add("torque", accumulatedTorque, "N·m")
        fields.add("wheel", wheel)
        fields.add("crank", crank)
        fields.add("greatest force", extremeForces?.maximum, "N")
        fields.add("least force", extremeForces?.minimum, "N")
        fields.add("greatest torque", extremeTorques?.maximum, "N·m")
        fields.add("least torque", extremeTorques?.minimum, "N·m")
        fields.add("greatest angle", extremeAngles?.maximum, "°")
        fields.add("least angle", extremeAngles?.minimum, "°")
        fields.add("top dead spot", topDeadSpotAngle, "°")
        fields.add("bottom dead spot", bottomDeadSpotAngle, "°")
        fields.add("energy", accumulatedEnergyInKilojoules, "kJ")
        return fields
    }
}

extension RunningSpeedAndCadenceReading: FieldedReading {
    var fields: [ReadingField] {
        var fields = [
            ReadingField("speed", metersPerSecond, "m/s"),
            ReadingField("cadence", Double(stepsPerMinute), "steps/min"),
        ]
        fields.add("stride", strideLengthInMeters, "m")
        fields.add("distance", totalDistanceInMeters, "m")
        fields.append(ReadingField("gait", text: isRunning ? "running" : "walking"))
        return fields
    }
}

extension [ReadingField] {
    fileprivate mutating func add(_ name: String, _ count: RevolutionCount<some FixedWidthInteger>?)
    {
        guard let count else { return }
        add(name, count.revolutions, "revolutions")
        let seconds = Double(count.lastEventTime) / Double(count.ticksPerSecond)
        add("\(name) time", seconds, "s")
    }
}
