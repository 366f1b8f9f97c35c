// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Hostile",
    products: [
        .library(name: "Hostile", targets: ["Hostile"])
    ],
    dependencies: [
        .package(path: "../bluejay")
    ],
    targets: [
        .target(
            name: "Hostile",
            dependencies: [
                .product(name: "BluejayAsync", package: "bluejay")
            ]
        ),
        .testTarget(
            name: "HostileTests",
            dependencies: [
                "Hostile",
                .product(name: "BluejayTesting", package: "bluejay"),
            ]
        ),
    ]
)
