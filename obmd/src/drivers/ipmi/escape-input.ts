/**
 * The character by which ipmitool would read commands from the input: Ctrl-^. It listens for it at the start of
 * a line only, and takes two of them for one that is meant.
 */
export const escapeCharacter = '\x1e';
const escape = escapeCharacter.charCodeAt(0);

/** Makes what is typed harmless for ipmitool: all of it arrives as it is, and none of it is an order. */
export const verbatim = (): ((typed: Buffer) => Buffer) => {
  // As ipmitool has it: the beginning is the start of a line.
  let isAtStart = true;
  return (typed) => {
    const sent: number[] = [];
    for (const byte of typed) {
      if (isAtStart && byte === escape) sent.push(escape);
      sent.push(byte);
      isAtStart = byte === 0x0a || byte === 0x0d;
    }
    return Buffer.from(sent);
  };
};
