import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** How often a process is looked at: its first command line is that of whoever started it. */
const looks = 40;
const everyMs = 4;

const contentOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
};

const processIds = (): readonly string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

/** Looks at the command lines of all processes of this machine, all the time. */
export class CommandLines {
  readonly #secrets: readonly string[];
  readonly #looks = new Map<string, number>();
  readonly #tools = new Set<string>();
  readonly #clock: NodeJS.Timeout;
  /** Command lines with a secret in them. */
  readonly leaks = new Set<string>();

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
    this.#clock = setInterval(() => this.#look(), everyMs).unref();
  }

  /** How many of the program's processes were seen: that there were none would prove nothing. */
  get tools(): number {
    return this.#tools.size;
  }

  stop(): void {
    clearInterval(this.#clock);
  }

  #look(): void {
    const ids = new Set(processIds());
    for (const id of this.#looks.keys()) if (!ids.has(id)) this.#looks.delete(id);
    for (const id of ids) {
      const count = this.#looks.get(id) ?? 0;
      if (count >= looks) continue;
      this.#looks.set(id, count + 1);
      const line = contentOf(`/proc/${id}/cmdline`).replaceAll('\0', ' ');
      if (line.startsWith('ipmitool ')) this.#tools.add(`${id} ${line}`);
      if (this.#secrets.some((secret) => line.includes(secret))) this.leaks.add(line);
    }
  }
}

/** The processes that this one has started and that have not ended, by name. */
export const childrenByName = (name: string): readonly string[] =>
  processIds().filter((id) => {
    const stat = contentOf(`/proc/${id}/stat`);
    const end = stat.lastIndexOf(')');
    const [state, parent] = stat.slice(end + 2).split(' ');
    return state !== 'Z' && Number(parent) === process.pid && stat.slice(stat.indexOf('(') + 1, end) === name;
  });

/** The pseudo terminals that this process holds. */
export const heldTerminals = (): readonly string[] =>
  readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    })
    .filter((target) => /^\/dev\/(ptmx|pts\/ptmx)$/.test(target));
