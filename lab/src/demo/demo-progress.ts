/** Where progress is shown. On a terminal the line under way is drawn again and again; elsewhere only whole lines appear. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Called when one more thing of a step is done. */
export type Tick = () => void;

const nameWidth = 11;
const textWidth = 62;
const barWidth = 30;
const drawEveryMs = 50;
const backToStart = '\r\u001b[2K';

/** Shows the steps of a longer piece of work, one line each: what it is, how far it is, how long it took. */
export class Progress {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Runs a step of `total` things. What it answers with is the line that stays. */
  async step(name: string, total: number, work: (tick: Tick) => Promise<string>): Promise<void> {
    const started = Date.now();
    let done = 0;
    let drawnAt = 0;
    const draw = (): void => {
      if (this.#screen.isTTY !== true || Date.now() - drawnAt < drawEveryMs) return;
      drawnAt = Date.now();
      const filled = Math.round((barWidth * done) / Math.max(1, total));
      const bar = '='.repeat(filled).padEnd(barWidth, '.');
      this.#screen.write(`${backToStart}  ${name.padEnd(nameWidth)}[${bar}] ${done}/${total}`);
    };
    draw();
    try {
      const text = await work(() => {
        done += 1;
        draw();
      });
      this.line(name, text, Date.now() - started);
    } catch (error) {
      this.line(name, `stopped at ${done} of ${total}`, Date.now() - started);
      throw error;
    }
  }

  /** A step that is done. */
  line(name: string, text: string, ms: number): void {
    const start = this.#screen.isTTY === true ? backToStart : '';
    this.#screen.write(`${start}  ${name.padEnd(nameWidth)}${text.padEnd(textWidth)} ${seconds(ms)}\n`);
  }
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
