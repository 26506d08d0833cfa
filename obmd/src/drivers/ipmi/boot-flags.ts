/** What a BMC says of the next boot. */
export interface BootFlags {
  /** False: the firmware boots from what it is set to. */
  readonly isValid: boolean;
  /** For all boots, not only for the next. */
  readonly isLasting: boolean;
  /** In the words of the interface; null: something that it has no word for. */
  readonly device: 'pxe' | 'disk' | null;
}

const devices: Readonly<Record<number, 'pxe' | 'disk'>> = { 0b0001: 'pxe', 0b0010: 'disk' };

/**
 * Reads the answer to Get System Boot Options, parameter 5: version, parameter, and then the flags. Bit 7 of the first
 * says that they are valid, bit 6 that they last; bits 5 to 2 of the second are the device.
 */
export const bootFlagsFrom = (said: string): BootFlags => {
  const [, , first = 0, second = 0] = said
    .trim()
    .split(/\s+/)
    .map((byte) => (/^[0-9a-f]{2}$/i.test(byte) ? Number.parseInt(byte, 16) : 0));
  return {
    isValid: (first & 0x80) !== 0,
    isLasting: (first & 0x40) !== 0,
    device: devices[(second >> 2) & 0b1111] ?? null,
  };
};
