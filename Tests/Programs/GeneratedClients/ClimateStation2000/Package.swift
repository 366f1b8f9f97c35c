// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ClimateStation2000",
    products: [
        .library(name: "ClimateStation2000", targets: ["ClimateStation2000"])
    ],
    dependencies: [
        .package(path: "../bluejay")
    ],
    targets: [
        .target(
            name: "ClimateStation2000",
            dependencies: [
                .product(name: "BluejayAsync", package: "bluejay")
            ]
        ),
        .testTarget(
            name: "ClimateStation2000Tests",
            dependencies: [
                "ClimateStation2000",
                .product(name: "BluejayTesting", package: "bluejay"),
            ]
        ),
    ]
)
