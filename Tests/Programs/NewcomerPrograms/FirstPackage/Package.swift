// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "heart",
    dependencies: [
        .package(path: "../bluejay", traits: ["Foundation"])
    ],
    targets: [
        .executableTarget(
            name: "heart",
            dependencies: [
                .product(name: "Bluejay", package: "bluejay"),
                .product(name: "BluejayAsync", package: "bluejay"),
            ]
        )
    ]
)
