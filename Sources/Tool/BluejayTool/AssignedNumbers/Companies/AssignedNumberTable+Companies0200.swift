// Written by .ci/assigned-numbers.
extension AssignedNumberTable {
    /// The companies by their identifiers, from 0200 to 03FF.
    static let companies0200 = """
        0200 Verifone Systems Pte Ltd. Taiwan Branch
        0201 AR Timing
        0202 Rigado LLC
        0203 Kemppi Oy
        0206 Otter Products, LLC
        0207 STEMP Inc.
        0208 LumiGeek LLC
        0209 InvisionHeart Inc.
        020A Macnica Inc.
        020B Jaguar Land Rover Limited
        020C CoroWare Technologies, Inc
        020E Omron Healthcare Co., LTD
        020F Comodule GMBH
        0210 ikeGPS
        0211 Telink Semiconductor Co. Ltd
        0212 Interplan Co., Ltd
        0213 Wyler AG
        0214 IK Multimedia Production srl
        0215 Lukoton Experience Oy
        0216 MTI Ltd
        0217 Tech4home, Lda
        0219 DOTT Limited
        021A Blue Speck Labs, LLC
        021B Cisco Systems, Inc
        021C Mobicomm Inc
        021D Edamic
        021E Goodnet, Ltd
        021F Luster Leaf Products Inc
        0220 Manus Machina BV
        0221 Mobiquity Networks Inc
        0222 Praxis Dynamics
        0223 Philip Morris Products S.A.
        0224 Comarch SA
        0225 Nestlé Nespresso S.A.
        0226 Merlinia A/S
        0227 LifeBEAM Technologies
        0228 Twocanoes Labs, LLC
        0229 Muoverti Limited
        022A Stamer Musikanlagen GMBH
        022B Tesla, Inc.
        022C Pharynks Corporation
        022D Lupine
        022E Siemens AG
        0230 Foster Electric Company, Ltd
        0231 ETA SA
        0232 x-Senso Solutions Kft
        0233 Shenzhen SuLong Communication Ltd
        0234 FengFan (BeiJing) Technology Co, Ltd
        0235 Qrio Inc
        0236 Pitpatpet Ltd
        0237 MSHeli s.r.l.
        0238 Trakm8 Ltd
        0239 JIN CO, Ltd
        023A Alatech Tehnology
        023B Beijing CarePulse Electronic Technology Co, Ltd
        023D ViCentra B.V.
        023E Raven Industries
        023F WaveWare Technologies Inc.
        0240 Argenox Technologies
        0241 Bragi GmbH
        0243 Masimo Corp
        0244 Iotera Inc
        0245 Endress+Hauser
        0246 ACKme Networks, Inc.
        0247 FiftyThree Inc.
        0248 Parker Hannifin Corp
        024A Uwatec AG
        024B Orlan LLC
        024C Blue Clover Devices
        024D M-Way Solutions GmbH
        024E Microtronics Engineering GmbH
        024F Schneider Schreibgeräte GmbH
        0250 Sapphire Circuits LLC
        0251 Lumo Bodytech Inc.
        0252 UKC Technosolution
        0253 Xicato Inc.
        0254 Playbrush
        0255 Dai Nippon Printing Co., Ltd.
        0256 G24 Power Limited
        0257 AdBabble Local Commerce Inc.
        0258 Devialet SA
        0259 ALTYOR
        025A University of Applied Sciences Valais/Haute Ecole Valaisanne
        025B Five Interactive, LLC dba Zendo
        025C NetEase（Hangzhou）Network co.Ltd.
        025D Lexmark International Inc.
        025E Fluke Corporation
        025F Yardarm Technologies
        0261 SECVRE GmbH
        0262 Glacial Ridge Technologies
        0263 Identiv, Inc.
        0264 DDS, Inc.
        0265 SMK Corporation
        0266 Schawbel Technologies LLC
        0267 XMI Systems SA
        0268 Cerevo
        0269 Torrox GmbH & Co KG
        026A Gemalto
        026B DEKA Research & Development Corp.
        026C Domster Tadeusz Szydlowski
        026D Technogym SPA
        026E FLEURBAEY BVBA
        026F Aptcode Solutions
        0270 LSI ADL Technology
        0271 Animas Corp
        0272 Alps Alpine Co., Ltd.
        0273 OCEASOFT
        0274 Motsai Research
        0275 Geotab
        0276 E.G.O. Elektro-Geraetebau GmbH
        0277 bewhere inc
        0278 Johnson Outdoors Inc
        0279 steute Schaltgerate GmbH & Co. KG
        027A Ekomini inc.
        027B DEFA AS
        027C Aseptika Ltd
        027D HUAWEI Technologies Co., Ltd.
        027E HabitAware, LLC
        027F ruwido austria gmbh
        0280 ITEC corporation
        0281 StoneL
        0282 Sonova AG
        0283 Maven Machines, Inc.
        0284 Synapse Electronics
        0285 WOWTech Canada Ltd.
        0286 RF Code, Inc.
        0287 Wally Ventures S.L.
        0289 SK Telecom
        028A Jetro AS
        028B Code Gears LTD
        028C NANOLINK APS
        028E RF Digital Corp
        028F Church & Dwight Co., Inc
        0290 Multibit Oy
        0291 CliniCloud Inc
        0293 Blue Bite
        0294 ELIAS GmbH
        0295 Sivantos GmbH
        0296 Petzl
        0297 storm power ltd
        0298 EISST Ltd
        0299 Inexess Technology Simma KG
        029A Currant, Inc.
        029B C2 Development, Inc.
        029C Blue Sky Scientific, LLC
        029D ALOTTAZS LABS, LLC
        029E Kupson spol. s r.o.
        029F Areus Engineering GmbH
        02A0 Impossible Camera GmbH
        02A2 Sera4 Ltd.
        02A3 Itude
        02A4 Pacific Lock Company
        02A5 Tendyron Corporation
        02A6 Robert Bosch GmbH
        02A7 Illuxtron international B.V.
        02A8 miSport Ltd.
        02A9 Chargelib
        02AA Doppler Lab
        02AB BBPOS Limited
        02AC RTB Elektronik GmbH & Co. KG
        02AD Rx Networks, Inc.
        02AE WeatherFlow, Inc.
        02AF Technicolor USA Inc.
        02B0 Bestechnic(Shanghai),Ltd
        02B1 Raden Inc
        02B2 Oura Health Oy
        02B3 CLABER S.P.A.
        02B4 Hyginex, Inc.
        02B5 HANSHIN ELECTRIC RAILWAY CO.,LTD.
        02B6 Schneider Electric
        02B7 Oort Technologies LLC
        02B8 Chrono Therapeutics
        02B9 Rinnai Corporation
        02BA Swissprime Technologies AG
        02BB YOKOWO CO., LTD.
        02BC Genevac Ltd
        02BD Chemtronics
        02BE Seguro Technology Sp. z o.o.
        02BF Redbird Flight Simulations
        02C0 Dash Robotics
        02C1 LINE Corporation
        02C2 Guillemot Corporation
        02C3 Techtronic Power Tools Technology Limited
        02C4 Wilson Sporting Goods
        02C5 Lenovo (Singapore) Pte Ltd.
        02C6 Ayatan Sensors
        02C7 Electronics Tomorrow Limited
        02C8 OneSpan
        02C9 PayRange Inc.
        02CA ABOV Semiconductor
        02CB AINA-Wireless Inc.
        02CD BMA ergonomics b.v.
        02CE Teva Branded Pharmaceutical Products R&D, Inc.
        02CF Anima
        02D0 3M
        02D1 Empatica Srl
        02D2 Afero, Inc.
        02D3 Powercast Corporation
        02D4 Secuyou ApS
        02D5 OMRON Corporation
        02D6 Send Solutions
        02D7 NIPPON SYSTEMWARE CO.,LTD.
        02D8 Neosfar
        02D9 Fliegl Agrartechnik GmbH
        02DA Gilvader
        02DB Digi International Inc (R)
        02DC DeWalch Technologies, Inc.
        02DD Flint Rehabilitation Devices, LLC
        02DE Samsung SDS Co., Ltd.
        02DF Blur Product Development
        02E0 University of Michigan
        02E1 Victron Energy BV
        02E2 NTT docomo
        02E3 Carmanah Technologies Corp.
        02E4 Bytestorm Ltd.
        02E5 Espressif Systems (Shanghai) Co., Ltd.
        02E6 Unwire
        02E7 Connected Yard, Inc.
        02E8 American Music Environments
        02E9 Sensogram Technologies, Inc.
        02EA Fujitsu Limited
        02EB Ardic Technology
        02EC Delta Systems, Inc
        02ED HTC Corporation
        02EE Citizen Holdings Co., Ltd.
        02EF SMART-INNOVATION.inc
        02F0 Blackrat Software
        02F1 The Idea Cave, LLC
        02F2 GoPro, Inc.
        02F3 AuthAir, Inc
        02F4 Vensi, Inc.
        02F5 Indagem Tech LLC
        02F6 Intemo Technologies
        02F8 Runteq Oy Ltd
        02F9 IMAGINATION TECHNOLOGIES LTD
        02FB Clarius Mobile Health Corp.
        02FC Shanghai Frequen Microelectronics Co., Ltd.
        02FE Lierda Science & Technology Group Co., Ltd.
        02FF Silicon Laboratories
        0300 World Moto Inc.
        0301 Giatec Scientific Inc.
        0302 Loop Devices, Inc
        0303 IACA electronique
        0304 Oura Health Ltd
        0305 Swipp ApS
        0306 Life Laboratory Inc.
        0307 FUJI INDUSTRIAL CO.,LTD.
        0308 Surefire, LLC
        0309 Dolby Labs
        030A Ellisys
        030B Magnitude Lighting Converters
        030C Hilti AG
        030D Devdata S.r.l.
        030F Shortcut Labs
        0310 SGL Italia S.r.l.
        0311 PEEQ DATA
        0312 Ducere Technologies Pvt Ltd
        0313 DiveNav, Inc.
        0314 RIIG AI Sp. z o.o.
        0315 Thermo Fisher Scientific
        0316 AG Measurematics Pvt. Ltd.
        0317 CHUO Electronics CO., LTD.
        0318 Aspenta International
        0319 Eugster Frismag AG
        031A Wurth Elektronik eiSos GmbH & Co. KG
        031B HQ Inc
        031C Lab Sensor Solutions
        031D Enterlab ApS
        031E Eyefi, Inc.
        031F MetaSystem S.p.A.
        0320 SONO ELECTRONICS. CO., LTD
        0323 Rotor Bike Components
        0324 Astro, Inc.
        0325 Amotus Solutions
        0326 Healthwear Technologies (Changzhou)Ltd
        0327 Essex Electronics
        0328 Grundfos A/S
        0329 Eargo, Inc.
        032A Electronic Design Lab
        032B ESYLUX
        032C NIPPON SMT.CO.,Ltd
        032D BM innovations GmbH
        032E indoormap
        032F OttoQ Inc
        0330 North Pole Engineering
        0331 3flares Technologies Inc.
        0333 Mul-T-Lock
        0334 Airthings ASA
        0335 Enlighted Inc
        0336 GISTIC
        0337 AJP2 Holdings, LLC
        0338 COBI GmbH
        0339 Blue Sky Scientific, LLC
        033A Appception, Inc.
        033B Courtney Thorne Limited
        033C Virtuosys
        033D TPV Technology Limited
        033E Monitra SA
        033F Automation Components, Inc.
        0340 Letsense s.r.l.
        0341 Etesian Technologies LLC
        0342 GERTEC BRASIL LTDA.
        0343 Drekker Development Pty. Ltd.
        0344 Whirl Inc
        0345 Locus Positioning
        0346 Acuity Brands Lighting, Inc
        0347 Prevent Biometrics
        0349 VersaMe
        034B Libratone A/S
        034C HM Electronics, Inc.
        034D TASER International, Inc.
        034F Heartland Payment Systems
        0350 Bitstrata Systems Inc.
        0351 Pieps GmbH
        0352 iRiding(Xiamen)Technology Co.,Ltd.
        0353 Alpha Audiotronics, Inc.
        0354 TOPPAN FORMS CO.,LTD.
        0355 Sigma Designs, Inc.
        0356 Spectrum Brands, Inc.
        0357 Polymap Wireless
        0358 MagniWare Ltd.
        0359 Novotec Medical GmbH
        035A Phillips-Medisize A/S
        035B Matrix Inc.
        035C Eaton Corporation
        035D KYS
        035E Naya Health, Inc.
        035F Acromag
        0360 Insulet Corporation
        0361 Wellinks Inc.
        0362 ON Semiconductor
        0363 FREELAP SA
        0364 Favero Electronics Srl
        0365 BioMech Sensor LLC
        0366 BOLTT Sports technologies Private limited
        0368 Metormote AB
        0369 littleBits
        036A SetPoint Medical
        036B BRControls Products BV
        036C Zipcar
        036D AirBolt Pty Ltd
        036E MOTIVE TECHNOLOGIES, INC.
        036F Motiv, Inc.
        0370 Wazombi Labs OÜ
        0372 Nixie Labs, Inc.
        0373 AppNearMe Ltd
        0374 Holman Industries
        0375 Expain AS
        0376 Electronic Temperature Instruments Ltd
        0377 Plejd AB
        0378 Propeller Health
        0379 Shenzhen iMCO Electronic Technology Co.,Ltd
        037A Algoria
        037B Apption Labs Inc.
        037C Cronologics Corporation
        037D MICRODIA Ltd.
        037E lulabytes S.L.
        037F Société des Produits Nestlé S.A.
        0380 LLC "MEGA-F service"
        0381 Sharp Corporation
        0382 Precision Outcomes Ltd
        0383 Kronos Incorporated
        0385 Embedded Electronic Solutions Ltd. dba e2Solutions
        0386 Aterica Inc.
        0387 BluStor PMC, Inc.
        0388 Kapsch TrafficCom AB
        0389 ActiveBlu Corporation
        038A Kohler Mira Limited
        038B Noke
        038C Appion Inc.
        038D Resmed Ltd
        038E Crownstone B.V.
        038F Xiaomi Inc.
        0390 INFOTECH s.r.o.
        0391 Thingsquare AB
        0392 T&D
        0393 LAVAZZA S.p.A.
        0395 SDATAWAY
        0396 BLOKS GmbH
        0397 LEGO System A/S
        0398 Thetatronics Ltd
        0399 Nikon Corporation
        039A NeST
        039B South Silicon Valley Microelectronics
        039C ALE International
        039D CareView Communications, Inc.
        039E SchoolBoard Limited
        039F Molex Corporation
        03A0 IVT Wireless Limited
        03A1 Alpine Labs LLC
        03A2 Candura Instruments
        03A3 SmartMovt Technology Co., Ltd
        03A4 Token Zero Ltd
        03A5 ACE CAD Enterprise Co., Ltd. (ACECAD)
        03A6 Medela, Inc
        03A7 AeroScout
        03A8 Esrille Inc.
        03AA Exon Sp. z o.o.
        03AB Meizu Technology Co., Ltd.
        03AD XiQ
        03AE Allswell Inc.
        03AF Comm-N-Sense Corp DBA Verigo
        03B0 VIBRADORM GmbH
        03B1 Otodata Wireless Network Inc.
        03B2 Propagation Systems Limited
        03B3 Midwest Instruments & Controls
        03B4 Alpha Nodus, inc.
        03B5 petPOMM, Inc
        03B6 Mattel
        03B7 Airbly Inc.
        03B8 A-Safe Limited
        03B9 FREDERIQUE CONSTANT SA
        03BA Maxscend Microelectronics Company Limited
        03BB Abbott
        03BC ASB Bank Ltd
        03BD amadas
        03BE Applied Science, Inc.
        03BF iLumi Solutions Inc.
        03C0 Arch Systems Inc.
        03C1 Ember Technologies, Inc.
        03C2 Snapchat Inc
        03C3 Casambi Technologies Oy
        03C4 Pico Technology Inc.
        03C5 St. Jude Medical, Inc.
        03C6 Intricon
        03C7 Structural Health Systems, Inc.
        03C8 Avvel International
        03C9 Gallagher Group
        03CA In2things Automation Pvt. Ltd.
        03CB SYSDEV Srl
        03CC Vonkil Technologies Ltd
        03CD Wynd Technologies, Inc.
        03CE CONTRINEX S.A.
        03CF MIRA, Inc.
        03D0 Watteam Ltd
        03D1 Density Inc.
        03D2 IOT Pot India Private Limited
        03D3 Sigma Connectivity AB
        03D4 PEG PEREGO SPA
        03D5 Wyzelink Systems Inc.
        03D6 Yota Devices LTD
        03D7 FINSECUR
        03D8 Zen-Me Labs Ltd
        03D9 3IWare Co., Ltd.
        03DA EnOcean GmbH
        03DB Instabeat, Inc
        03DC Nima Labs
        03DD Andreas Stihl AG & Co. KG
        03DE Nathan Rhoades LLC
        03DF Grob Technologies, LLC
        03E0 Actions Technology Co.,Ltd
        03E1 SPD Development Company Ltd
        03E2 Sensoan Oy
        03E3 Qualcomm Life Inc
        03E4 Chip-ing AG
        03E5 ffly4u
        03E6 IoT Instruments Oy
        03E7 TRUE Fitness Technology
        03E8 Reiner Kartengeraete GmbH & Co. KG.
        03E9 SHENZHEN LEMONJOY TECHNOLOGY CO., LTD.
        03EA Hello Inc.
        03EB Ozo Edu, Inc.
        03EC Jigowatts Inc.
        03ED BASIC MICRO.COM,INC.
        03EE CUBE TECHNOLOGIES
        03EF foolography GmbH
        03F0 CLINK
        03F1 Hestan Smart Cooking Inc.
        03F2 WindowMaster A/S
        03F4 PAL Technologies Ltd
        03F5 WHERE, Inc.
        03F6 Iton Technology Corp.
        03F7 Owl Labs Inc.
        03F8 Rockford Corp.
        03F9 Becon Technologies Co.,Ltd.
        03FA Vyassoft Technologies Inc
        03FB Nox Medical
        03FC Kimberly-Clark
        03FD Trimble Inc.
        03FE Littelfuse
        03FF Withings
        """
}
