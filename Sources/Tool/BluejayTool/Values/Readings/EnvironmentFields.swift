import BluejayCore

extension BatteryReading: FieldedReading {
    var fields: [ReadingField] { [ReadingField("battery", percent.map { Double($0) }, "%")] }
}

extension TemperatureReading: FieldedReading {
    var fields: [ReadingField] { [ReadingField("temperature", celsius, "°C")] }
}

extension HumidityReading: FieldedReading {
    var fields: [ReadingField] { [ReadingField("humidity", percent, "%")] }
}

extension PressureReading: FieldedReading {
    var fields: [ReadingField] { [ReadingField("pressure", pascals, "Pa")] }
}
