// Written by .ci/assigned-numbers.
extension AssignedNumberTable {
    /// The companies by their identifiers, from 103A to 10AE.
    static let companies1000 = """
        103A FOSS Analytical A/S
        103D Blahaj Ltd
        103E Nextorage Corporation
        103F infyni
        1040 Raspberry Pi
        1041 Shenzhen Huasheng Jiaye Technology Co., Ltd
        1042 Namara Water Technologies, Inc
        1043 Shanghai Holychip Electronic Co., Ltd.
        1044 Rotarex S.A.
        1045 VOTRONIC Elektronik-Systeme GmbH
        1046 EXELIO S.R.L.
        1047 Yamaha Motor eBike Systems GmbH
        1048 Ferrari s.p.a.
        1049 Anhui Ubico Advanced Manufacture Co., Ltd.
        104A Mueller-BBM Rail Technologies GmbH
        104B Yoto Limited
        104C LAUMAS Elettronica S.r.l.
        104D BUND MEDIA PTY. LTD.
        104E LSC Control Systems Pty Ltd
        104F Safety Lighting Research Pty Ltd
        1050 Hangzhou Sneuro Medical Co., Ltd.
        1051 UnlimitedIRL LLC
        1052 CHOZEN International CO., LTD.
        1053 Sensorworx, Inc.
        1054 Romcor Pty Ltd
        1055 NewNet, Inc.
        1056 CLM-Solutions
        1057 RSA Security LLC
        1058 Gravity (Shenzhen)Space Technology Co., Ltd
        1059 Shenzhen Shuye Technology Co.,Ltd.
        105A ArjoHuntleigh AB
        105B Fairbanks Scales Inc.
        105C YANMAR HOLDINGS CO., LTD.
        105D Williams Sound, LLC
        105E Zuuka Limited
        105F Chip-pump Microelectronics
        1060 TOMOE VALVE CO.,LTD
        1061 VCS Vision Control Solutions GmbH
        1062 Framason Audio S.A
        1063 Field Line Automation Ltd
        1064 Shearwater Research Inc.
        1065 HIGH HIT ENTERPRISE CO., LTD.
        1066 Algiz AS
        1067 Shenzhen FHX Precision Hardware & Plastic Co., Ltd.
        1068 Hotron Co., Ltd.
        1069 Remoticom B.V.
        106A OSKEY
        106B GORDON MURRAY GROUP LIMITED
        106C Global Electronics
        106D Rokstar Holdings Limited
        106E STRYDE LIMITED
        106F Prosaris Solutions Ltd.
        1070 TLV Co.,LTD.
        1071 IZYBAT
        1072 ALTESSA SOLUTIONS INC.
        1073 Hong Kong Future lntelligent Technology Co., Limited
        1074 CenTrak, Inc.
        1075 TM-TECHNOLOGIES, JSC
        1076 ALPHADIF
        1077 Shenzhen Muyu Technology Co., Ltd.
        1078 augment AI Inc.
        1079 Digimax Innovative Products LTD.
        107A CodaHD LLC
        107B E.J. Brooks Company
        107C Martin.Care GmbH
        107D IMPACT-BZ LTD
        107E Belford investment holdings pty ltd
        107F Anton Paar ConsumerTec GmbH
        1080 Knit Sound Company
        1081 Australis Scientific Pty Ltd.
        1082 AIR PRODUCTS AND CHEMICALS, INC.
        1083 SYSTEM LOCO LTD
        1084 24x8, LLC
        1085 FUTURE INTELLIGENCE TECHNOLOGY SINGAPORE PTE. LTD.
        1086 M3SH TECHNOLOGY INC.
        1087 Matisse Interactif inc.
        1088 Sesame AI, Inc.
        1089 DEER MANAGEMENT SYSTEMS, LLC
        108A Grayhill Inc.
        108B PERUN TECH SP. Z O.O.
        108C Tiny Displays Inc.
        108D DEWINE Labs GmbH
        108E Industrial Computing Limited
        108F SkyCell AG
        1090 NAGANO KEIKI CO., LTD.
        1091 COSEL ELEKTRONIK OTOMASYON SISTEMLERI SANAYI VE TICARET LIMITED SIRKETI
        1092 BXB DIGITAL PTY LIMITED
        1093 Mindspire Limited
        1094 Personal Products Co., Ltd.
        1095 CardiaMetrics
        1096 Aktv8 LLC
        1097 Knox Associates, Inc.
        1098 smart-TEC GmbH & Co. KG
        1099 Selco GmbH
        109A MONNIT CORPORATION
        109B Tensoli GmbH
        109C KIBLE
        109D terumo
        109E SHIBAURA ELECTRONICS CO., LTD.
        109F Shenzhen Hali-Power Industrial Co., Ltd.
        10A0 inContAlert GmbH
        10A1 flexlog GmbH
        10A2 Audio Research Corporation
        10A3 BQT Solutions (NZ) Limited
        10A4 RAPIDISE TECHNOLOGY PRIVATE LIMITED
        10A5 Cebreo Medical A/S
        10A6 Lightnovo ApS
        10A7 Pedigree Technologies, LLC
        10A8 Zhejiang Wanyou Intelligent Technology Co., Ltd.
        10A9 Mallow
        10AA Sigenergy Technology Co., Ltd.
        10AB ObjectSpectrum, LLC
        10AC ATsens Co.,Ltd.
        10AD CoreHW Semiconductor Oy
        10AE Raycon Inc.
        """
}
