// swift-tools-version: 6.2

import PackageDescription

// What is measured, as its users would build it. A package of its own: nobody who uses the library
// fetches or builds any of it.
let package = Package(
    name: "BluejayBenchmarks",
    dependencies: [.package(name: "Bluejay", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "benchmark-client",
            dependencies: [
                .product(name: "Bluejay", package: "Bluejay"),
                .product(name: "BluejayAsync", package: "Bluejay"),
                .product(name: "BluejayGATTServer", package: "Bluejay"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
