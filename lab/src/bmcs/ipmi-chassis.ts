import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../switches/namespaces.ts';

/** How a machine behaves towards its BMC. */
export interface ChassisHabits {
  /** Goes off a moment after it is asked to shut down; if false, the operating system does not listen. */
  readonly obeysShutdown: boolean;
  /** Fails when it is turned on while it is on, or off while it is off, as some BMCs do. */
  readonly refusesRepeats: boolean;
}

/** A chassis as ipmi_sim drives it: a program, called as `PROGRAM MC get|set|check PARAMETER [VALUE] ...`. */
export class IpmiChassis {
  readonly program: string;

  constructor(program: string) {
    this.program = program;
  }

  async get(parameter: 'power' | 'boot'): Promise<string> {
    const said = await run(this.program, ['0x20', 'get', parameter]);
    return said.trim().slice(parameter.length + 1);
  }

  async set(parameter: 'power' | 'boot', value: string): Promise<void> {
    await run(this.program, ['0x20', 'set', parameter, value]);
  }
}

/** One without a machine: it only records its commands, in a file in this directory. */
export const makeChassis = async (directory: string, habits: ChassisHabits): Promise<IpmiChassis> => {
  await writeFile(logIn(directory), '');
  const program = join(directory, 'chassis');
  await writeFile(program, scriptFor(logIn(directory), habits), { mode: 0o700 });
  return new IpmiChassis(program);
};

const logIn = (directory: string): string => join(directory, 'chassis.log');

/**
 * All commands that such a chassis received, as `power 1`, `boot pxe`, `shutdown 1` and so on, in the order of events.
 */
export const toldChassis = async (directory: string): Promise<readonly string[]> =>
  (await readFile(logIn(directory), 'utf8')).split('\n').slice(0, -1);

// A log that is only appended to has no moment in which it is empty or half written.
const scriptFor = (log: string, { obeysShutdown, refusesRepeats }: ChassisHabits): string => `#!/bin/sh
log='${log}'
operation=$2
shift 2
power=0 boot=none
while read -r name value; do
  case $name in
    power) power=$value ;;
    boot) boot=$value ;;
  esac
done < "$log"
case $operation in
  get)
    for name; do
      case $name in
        power) echo "power:$power" ;;
        boot) echo "boot:$boot" ;;
        *) exit 1 ;;
      esac
    done ;;
  set)
    while [ $# -gt 1 ]; do
      if ${String(refusesRepeats)} && [ "$1 $2" = "power $power" ]; then exit 1; fi
      echo "$1 $2" >> "$log"
      if ${String(obeysShutdown)} && [ "$1 $2" = 'shutdown 1' ]; then
        { sleep 0.2; [ ! -e "$log" ] || echo 'power 0' >> "$log"; } < /dev/null > /dev/null 2>&1 &
      fi
      shift 2
    done ;;
esac
`;
