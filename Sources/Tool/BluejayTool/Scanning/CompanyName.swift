/// The names of companies in advertisements.
enum CompanyName {
    /// Returns a short name of the companies that advertise most, and the whole name of the others.
    static func of(_ number: UInt16) -> String? {
        shortNames[number] ?? AssignedNumberTable.companies.name(of: number)
    }

    static let shortNames: [UInt16: String] = [
        0x0002: "Intel", 0x0006: "Microsoft", 0x0008: "Motorola", 0x000A: "Qualcomm",
        0x000D: "Texas Instruments", 0x000F: "Broadcom", 0x001D: "Qualcomm", 0x0025: "NXP",
        0x0036: "Renesas", 0x003A: "Panasonic", 0x004C: "Apple", 0x0055: "Plantronics",
        0x0057: "Harman", 0x0059: "Nordic Semiconductor", 0x005D: "Realtek", 0x006B: "Polar",
        0x0075: "Samsung", 0x0087: "Garmin", 0x0089: "GN Hearing", 0x009E: "Bose",
        0x009F: "Suunto", 0x00BA: "Starkey", 0x00C4: "LG", 0x00CC: "Beats", 0x00CD: "Microchip",
        0x00D0: "Dexcom", 0x00D1: "Polar", 0x00D2: "Dialog Semiconductor",
        0x00DC: "Procter & Gamble", 0x00E0: "Google", 0x0103: "Bang & Olufsen",
        0x0118: "Radius Networks", 0x011B: "Hewlett Packard", 0x011F: "Volkswagen", 0x012D: "Sony",
        0x012E: "Assa Abloy", 0x0131: "Cypress", 0x0133: "Blue Maestro", 0x013C: "Murata",
        0x0157: "Huami", 0x015D: "Estimote", 0x0170: "Roche Diabetes Care", 0x0171: "Amazon",
        0x0183: "Disney", 0x018E: "Fitbit", 0x01AB: "Meta", 0x01DA: "Logitech", 0x01DD: "Philips",
        0x01E0: "Widex", 0x01F1: "Zebra", 0x01F9: "Medtronic", 0x01FC: "Wahoo",
        0x01FD: "Kontakt.io", 0x0211: "Telink", 0x021B: "Cisco", 0x022B: "Tesla",
        0x022E: "Siemens", 0x026D: "Technogym", 0x027D: "Huawei", 0x0282: "Sonova",
        0x02A6: "Bosch", 0x02B2: "Oura", 0x02B6: "Schneider Electric", 0x02C5: "Lenovo",
        0x02D5: "Omron", 0x02E1: "Victron Energy", 0x02E5: "Espressif", 0x02F2: "GoPro",
        0x02FF: "Silicon Labs", 0x038F: "Xiaomi", 0x0397: "Lego", 0x03BB: "Abbott",
        0x03FF: "Withings", 0x041E: "Dell", 0x0497: "Cochlear", 0x0499: "Ruuvi", 0x050C: "Osram",
        0x0526: "Honeywell", 0x0553: "Nintendo", 0x055D: "Valve", 0x058E: "Meta", 0x05EB: "BMW",
        0x060F: "Signify", 0x0611: "Beurer", 0x0639: "Minew", 0x0662: "Particle", 0x067C: "Tile",
        0x0689: "Tacx", 0x068E: "Razer", 0x06A8: "Midea", 0x06D5: "Sensirion", 0x0723: "Ford",
        0x072F: "OnePlus", 0x0768: "Peloton", 0x079A: "Oppo", 0x07C9: "Skullcandy", 0x07D0: "Tuya",
        0x0837: "Vivo", 0x0915: "Honda", 0x0933: "SRAM", 0x094A: "Zwift", 0x0958: "ZTE",
        0x0969: "SwitchBot", 0x0BA9: "Shelly",
    ]
}
