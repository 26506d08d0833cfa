import { folded, shown } from './terminal-text.ts';

/** Far more than any configuration; a device that never stops talking is broken. */
const longestAnswer = 16 * 1024 * 1024;
/** No line of a configuration is nearly as long. */
const longestLine = 1024 * 1024;
/** A line that stands on the screen with more than this is neither a prompt nor a question. */
const longestPrompt = 512;
/** What such a line is at most before it is folded again. */
const longestRaw = 5 * longestPrompt;

/**
 * What a device has sent since the last command: whole lines, and the beginning of one. Each character is read a few
 * times at most, however small the pieces are that it comes in.
 */
export class OutputBuffer {
  #lines: string[] = [];
  #size = 0;
  /** The line that has not ended. It is redrawn as often as the device likes, so it is folded when it has grown. */
  #last = '';
  #foldAt = longestPrompt;

  /** Says what is wrong if there is too much of it. */
  push(text: string): string | null {
    const [first = '', ...rest] = text.split('\n');
    this.#last += first;
    for (const line of rest) {
      this.#lines.push(this.#last);
      this.#last = line;
      this.#foldAt = longestPrompt;
    }
    this.#size += text.length;
    if (this.#size > longestAnswer) return 'the switch sends too much output';
    if (this.#last.length > this.#foldAt) {
      this.#last = folded(this.#last);
      this.#foldAt = Math.max(longestPrompt, 2 * this.#last.length);
    }
    return this.#last.length > longestLine ? 'the switch sends a line that is too long' : null;
  }

  clear(): void {
    this.#lines = [];
    this.#size = 0;
    this.dropLast();
  }

  /** Forgets the line that has not ended. */
  dropLast(): void {
    this.#last = '';
    this.#foldAt = longestPrompt;
  }

  /** Forgets the lines up to the first that has this in it; false, and all of them, if there is none yet. */
  dropThrough(words: string): boolean {
    const at = this.#lines.findIndex((line) => line.includes(words));
    this.#lines = at < 0 ? [] : this.#lines.slice(at + 1);
    return at >= 0;
  }

  /** The line that has not ended, as it stands on the screen; nothing if it is too long to be a prompt. */
  get last(): string {
    return this.#last.length > longestRaw ? '' : shown(this.#last);
  }

  /** The lines that have ended, as they stand on the screen. */
  get text(): string {
    return shown(this.#lines.map((line) => `${line}\n`).join(''));
  }
}
