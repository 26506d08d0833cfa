import type { LabPort } from './lab-switch.ts';

interface OnPort {
  readonly lines: readonly string[];
  readonly carries: LabPort;
}

/**
 * What somebody has configured by hand on a scripted switch beyond what its model knows: lines that its configuration
 * shows from then on, and what the port carries because of them.
 */
export class ManualConfig {
  readonly #ports = new Map<string, OnPort>();
  readonly #global: string[] = [];

  /** On a port; nested lines have their own indent. */
  put(port: string, lines: readonly string[], carries: LabPort): void {
    this.#ports.set(port, { lines, carries });
  }

  /** Outside of any port, a block a call. */
  putGlobal(lines: readonly string[]): void {
    this.#global.push(lines.join('\n'));
  }

  on(port: string): readonly string[] {
    return this.#ports.get(port)?.lines ?? [];
  }

  get global(): readonly string[] {
    return this.#global;
  }

  /** A command of the model took these lines away, and with the last of them what they made the port carry. */
  remove(port: string, line: RegExp): void {
    const { lines = [], carries } = this.#ports.get(port) ?? {};
    const left = lines.filter((each) => !line.test(each.trim()));
    if (left.length === 0 || !carries) this.#ports.delete(port);
    else this.#ports.set(port, { lines: left, carries });
  }

  /** What a port that is up carries by the model and by hand. */
  carried(port: string, model: LabPort): LabPort {
    const more = this.#ports.get(port)?.carries;
    if (!more) return model;
    const tagged = new Set([...model.tagged, ...more.tagged]);
    return { native: model.native ?? more.native, tagged: [...tagged].sort((a, b) => a - b) };
  }
}
