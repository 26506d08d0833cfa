/*
 * The whole operating system of a parrot, for QEMU's aarch64 machine "virt". It has a mailbox in its memory: what is
 * put in there it says on the serial line, what it hears there it writes down in it. At the power button it turns
 * itself off. Between two looks it sleeps a millisecond, so that a running parrot costs next to nothing.
 */
const instructions: readonly (readonly [word: number, meaning: string])[] = [
  [0xd2a80201, 'movz x1, 0x4010, lsl 16   the mailbox'],
  [0xd2a12002, 'movz x2, 0x0900, lsl 16   the serial port, a pl011'],
  [0xd2a12063, 'movz x3, 0x0903, lsl 16   the power button, on a pl061'],
  [0xd2a10004, 'movz x4, 0x0800, lsl 16   the interrupt distributor'],
  [0x52800025, 'mov w5, 1'],
  [0xb9000085, 'str w5, [x4]              on'],
  [0x52a10006, 'movz w6, 0x0800, lsl 16'],
  [0xb9010086, 'str w6, [x4, 0x100]       with the timer, interrupt 27'],
  [0xd2a10024, 'movz x4, 0x0801, lsl 16   the interrupt controller of the processor'],
  [0x52801fe6, 'mov w6, 0xff'],
  [0xb9000486, 'str w6, [x4, 4]           all priorities'],
  [0xb9000085, 'str w5, [x4]              on'],
  [0xd51be325, 'msr cntv_ctl_el0, x5      the timer too'],
  [0x52800e06, 'mov w6, 0x70'],
  [0xb9002c46, 'str w6, [x2, 0x2c]        the serial port keeps 16 bytes, not one'],
  [0x91404027, 'add x7, x1, 0x10000       what to say'],
  [0x91408028, 'add x8, x1, 0x20000       what was heard'],
  [0x52800009, 'mov w9, 0                 bytes said'],
  [0x5280000a, 'mov w10, 0                bytes heard'],
  [0xb940206b, 'look: ldr w11, [x3, 0x20]'],
  [0x350002ab, 'cbnz w11, off'],
  [0xb940184b, 'hear: ldr w11, [x2, 0x18]'],
  [0x372000eb, 'tbnz w11, 4, say          nothing was typed'],
  [0xb940004b, 'ldr w11, [x2]'],
  [0x92403d4c, 'and x12, x10, 0xffff'],
  [0x382c690b, 'strb w11, [x8, x12]'],
  [0x1100054a, 'add w10, w10, 1'],
  [0xb900042a, 'str w10, [x1, 4]'],
  [0x17fffff9, 'b hear'],
  [0xb940002b, 'say: ldr w11, [x1]'],
  [0x6b0b013f, 'cmp w9, w11'],
  [0x540000c0, 'b.eq rest'],
  [0x92403d2c, 'and x12, x9, 0xffff'],
  [0x386c68eb, 'ldrb w11, [x7, x12]'],
  [0xb900004b, 'str w11, [x2]'],
  [0x11000529, 'add w9, w9, 1'],
  [0x17fffff9, 'b say'],
  [0xd29e848b, 'rest: movz x11, 62500     a millisecond'],
  [0xd51be30b, 'msr cntv_tval_el0, x11'],
  [0xd503207f, 'wfi'],
  [0x17ffffeb, 'b look'],
  [0x52800100, 'off: movz w0, 8'],
  [0x72b08000, 'movk w0, 0x8400, lsl 16   PSCI, system off'],
  [0xd4000002, 'hvc 0'],
];

/** The program, as QEMU takes it for a kernel. */
export const parrotProgram = (): Buffer => {
  const bytes = Buffer.alloc(instructions.length * 4);
  instructions.forEach(([word], index) => bytes.writeUInt32LE(word, index * 4));
  return bytes;
};

/** Where the mailbox is in its memory: how much was put in, how much was heard, and both rings of 64 KiB. */
export const mailbox = { said: 0x100000, heard: 0x100004, toSay: 0x110000, written: 0x120000, ring: 0x10000 } as const;
