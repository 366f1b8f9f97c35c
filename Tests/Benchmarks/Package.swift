// swift-tools-version: 6.2

import PackageDescription

// The measured programs, built as users build them. A separate package, so that users of the library do not
// fetch or build it.
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
