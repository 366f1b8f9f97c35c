import Testing

@testable import BluejayBlueZ
@testable import BluejayDBus

@Suite("Routes of values")
struct ValueDispatcherTableTests {
    private func message(_ path: ObjectPath) throws -> BusMessage {
        try BusMessage.signal(path: path, interface: "a.b", member: "C", arguments: [])
    }

    @Test("Each message finds the route of its path, as long as the route exists")
    func found() throws {
        let paths = (0..<20).compactMap { ObjectPath("/org/bluez/hci0/dev_A/char\($0)") }
        let made = paths.map { (path: $0, route: ValueDispatcher()) }
        var routes = ValueDispatcherTable()
        #expect(routes.find(try message("/a")) == nil)
        for entry in made { routes.set(entry.path, entry.route) }
        for entry in made + made {
            #expect(routes.find(try message(entry.path)) === entry.route)
            #expect(routes.find(try message(entry.path)) === entry.route)
        }
        #expect(routes.find(try message("/org/bluez/hci0/dev_A/char")) == nil)
        #expect(routes.find(try message("/org/bluez/hci0/dev_A/char20")) == nil)
        let other = ValueDispatcher()
        routes.set(paths[7], other)
        #expect(routes.find(try message(paths[7])) === other)
        routes.set(paths[7], nil)
        #expect(routes.find(try message(paths[7])) == nil)
        #expect(routes.find(try message(paths[8])) === made[8].route)
        routes.set(paths[8], nil)
        #expect(routes.find(try message(paths[8])) == nil)
    }
}
