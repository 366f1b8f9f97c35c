// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "HeartRateSensor",
    products: [
        .library(name: "HeartRateSensor", targets: ["HeartRateSensor"])
    ],
    dependencies: [
        .package(path: "../bluejay")
    ],
    targets: [
        .target(
            name: "HeartRateSensor",
            dependencies: [
                .product(name: "BluejayAsync", package: "bluejay")
            ]
        ),
        .testTarget(
            name: "HeartRateSensorTests",
            dependencies: [
                "HeartRateSensor",
                .product(name: "BluejayTesting", package: "bluejay"),
            ]
        ),
    ]
)
