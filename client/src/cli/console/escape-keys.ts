/** What was typed, taken apart: what goes to the machine, and what is for us. */
export interface Typed {
  readonly bytes: Buffer;
  readonly asked: readonly Escape[];
}

/** Leave, say which keys there are, or tell the machine the size of the window. */
export type Escape = 'leave' | 'help' | 'size';

const escapes: Readonly<Record<string, Escape>> = { '.': 'leave', '?': 'help', w: 'size' };

const tilde = '~';
const lineEnds = ['\r', '\n'];

/**
 * Finds the escapes in what is typed, as those of ssh: a tilde at the beginning of a line, and a key. Two tildes are one
 * for the machine, and a tilde before any other key goes there with it. A key may come in two pieces, or many at once.
 */
export class EscapeKeys {
  #isLineStart = true;
  #isTildeHeld = false;

  typed(input: Buffer): Typed {
    const asked: Escape[] = [];
    const passed: string[] = [];
    // One character for each byte: escapes are ASCII, and the rest is passed on unread.
    for (const key of input.toString('latin1')) {
      if (this.#isTildeHeld) {
        this.#isTildeHeld = false;
        const escape = escapes[key];
        if (escape !== undefined) {
          asked.push(escape);
          continue;
        }
        passed.push(key === tilde ? tilde : tilde + key);
      } else if (this.#isLineStart && key === tilde) {
        this.#isTildeHeld = true;
        continue;
      } else passed.push(key);
      this.#isLineStart = lineEnds.includes(key);
    }
    return { bytes: Buffer.from(passed.join(''), 'latin1'), asked };
  }
}
