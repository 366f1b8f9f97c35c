// swift-tools-version: 6.2

import PackageDescription

// One of the two: both packages are called `bluejay`, and so are both products and both modules.
#if os(Linux)
    let bluejay = Package.Dependency.package(path: "../bluejay")
#else
    let bluejay = Package.Dependency.package(
        url: "https://github.com/steamclock/bluejay",
        from: "0.8.9"
    )
#endif

let package = Package(
    name: "heart-rate",
    platforms: [.iOS(.v16)],
    products: [.library(name: "HeartRate", targets: ["HeartRate"])],
    dependencies: [bluejay],
    targets: [
        // For both: `import Bluejay`, and the API of the iOS library.
        .target(
            name: "HeartRate",
            dependencies: [.product(name: "Bluejay", package: "bluejay")]
        )
    ]
)

// A program for Linux; the app for iOS takes the product HeartRate.
#if os(Linux)
    package.targets.append(
        .executableTarget(
            name: "heart-rate",
            dependencies: ["HeartRate", .product(name: "Bluejay", package: "bluejay")]
        )
    )
#endif
