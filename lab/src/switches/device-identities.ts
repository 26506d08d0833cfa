/*
 * How devices tell which one they are: what they answer to which command. Written from captured answers and manuals of
 * the vendors, with numbers of our own.
 */

/** The answers of a device with this serial number, by command. */
export type IdentityAnswers = (serial: string) => Readonly<Record<string, string>>;

export const aristaIdentityAnswers: IdentityAnswers = (serial) => ({
  'show version': `Arista DCS-7050TX-64-R
Hardware version:    01.10
Serial number:       ${serial}
System MAC address:  001c.7300.0001

Software image version: 4.20.1F
Architecture:           i686
Uptime:                 2 weeks, 3 days, 1 hour and 12 minutes
Total memory:           3818208 kB
Free memory:            2204596 kB
`,
});

export const iosIdentityAnswers: IdentityAnswers = (serial) => ({
  'show version': `Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(4)E6, RELEASE SOFTWARE (fc4)

ROM: Bootstrap program is C2960X boot loader

lab-2960x uptime is 5 weeks, 1 day, 2 hours
System image file is "flash:/c2960x-universalk9-mz.152-4.E6.bin"

cisco WS-C2960X-48TD-L (APM86XXX) processor (revision G0) with 524288K bytes of memory.
Processor board ID ${serial}
Last reset from power-on
52 Gigabit Ethernet interfaces
2 Ten Gigabit Ethernet interfaces

Model number                    : WS-C2960X-48TD-L
System serial number            : ${serial}
Configuration register is 0xF
`,
});

export const nxosIdentityAnswers: IdentityAnswers = (serial) => ({
  'show version': `Cisco Nexus Operating System (NX-OS) Software
TAC support: http://www.cisco.com/tac

Software
  BIOS:      version 3.6.0
  system:    version 7.3(8)N1(1)

Hardware
  cisco Nexus 5548 Chassis ("O2 32X10GE/Modular Universal Platform Supervisor")
  Intel(R) Xeon(R) CPU         with 8253856 kB of memory.
  Processor Board ID ${serial}

  Device name: n5k-rack3
  bootflash:    2007040 kB
`,
  'show vdc current-vdc': 'Current vdc is 1 - n5k-rack3\n',
});

/** A model whose name looks like the beginning of a part id, with parts that have no service tag of their own. */
export const os10IdentityAnswers: IdentityAnswers = (serial) => ({
  'show inventory': `Product               : S4148FE-ON
Description           : S4148FE-ON 48x10GbE SFP+, 2x40GbE QSFP+, 4x100GbE QSFP28 Interface Module
Software version      : 10.5.2.4
Product Base          :
Product Serial Number :
Product Part Number   :

Unit Type                     Part Number  Rev  Piece Part ID             Svc Tag  Exprs Svc Code
-------------------------------------------------------------------------------------------------
* 1  S4148FE-ON               0K0K0K       A01  CN-0K0K0K-28298-713-0026  ${serial}  226 457 410 55
  1  S4148FE-ON-PWR-1-AC      0X0X0X       A00  CN-0X0X0X-28298-6B5-0219  AEIOU##  226 457 410 55
  1  S4148FE-ON-FANTRAY-1     0Y0Y0Y       A00  CN-0Y0Y0Y-28298-6BJ-0213  AEIOU##  226 457 410 55
`,
});

export const os9Inventory = (serial: string): string =>
  `System Type            : S3048-ON
System Mode            : 1.0
Software Version       : 9.14(2.2)
Unit Type                      Serial Number  Part Number  Rev  Piece Part ID            Rev  Svc Tag  Exprs Svc Code
---------------------------------------------------------------------------------------------------------------------
  2  S3048-ON-01-FE-52T        NA             0K0K0K       A01  CN-0K0K0K-28298-6AF-0015 A01  9ZZ9999  106 402 692 99
* 1  S3048-ON-01-FE-52T        NA             0K0K0K       A01  CN-0K0K0K-28298-6AF-0014 A01  ${serial}  106 402 692 98
  1  S3048-ON-PWR-AC           NA             0X0X0X       A00  CN-0X0X0X-28298-6AF-0238 A00  NA       NA
 * - Management Unit
`.replaceAll('\n', '\r\n');

export const dellNIdentityAnswers: IdentityAnswers = (serial) => ({
  'show version': `
Machine Description............... Dell Networking Switch
System Model ID................... N3048
Machine Type...................... Dell Networking N3048
Serial Number..................... ${serial}
Manufacturer...................... 0xbc00
Burned In MAC Address............. F8B1.5600.0001
System Object ID.................. 1.3.6.1.4.1.674.10895.3060
SOC Version....................... BCM56340_A0
HW Version........................ 2
CPLD Version...................... 16

unit active      backup      current-active next-active
---- ----------- ----------- -------------- --------------
1    6.3.2.4     6.2.5.3     6.3.2.4        6.3.2.4
`,
});

/** A stack tells serial numbers in a table of its units, and one MAC address for all of them. */
export const powerConnectIdentityAnswers: IdentityAnswers = (serial) => ({
  'show system id': `
 Unit    Service tag    Serial number    Asset tag
------ --------------- ---------------- ------------
  1     1AB2CD3         CN0000000000001
`,
  'show system unit 1': `
System Description:                       Ethernet Switch
System Up Time (days,hour:min:sec):       14,02:12:11
System Contact:
System Name:                              lab-5548
System Location:
System MAC Address:                       ${serial}
System Object ID:                         1.3.6.1.4.1.674.10895.3031
Type:                                     PowerConnect 5548
`,
});
