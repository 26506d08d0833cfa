import {
  isBegun,
  prepareKey,
  requireCopied,
  requireRing,
  rotateKey,
  type Rotated,
  type RotationStep,
} from '@corral/base/secrets/rotate-key';
import { ConfigError } from '@corral/base/config/config-error';
import type { Config } from '../config/service-config.ts';
import type { Command, Terminal } from './admin-command.ts';
import { counted, heading, lines } from './text-layout.ts';
import { progressOn } from './progress-line.ts';
import { openSealedDatabases } from './sealed-databases.ts';

/** How the rotation is done, and who watches it: a test may end the process between any two steps. */
export interface RotateKeyOptions {
  readonly keepOld?: boolean;
  readonly isSingleMachine?: boolean;
  readonly step?: (step: RotationStep) => Promise<void> | void;
}

/** Gives the databases of this configuration a new key, and says what was done. */
export const rotateKeyOf = async (
  config: Config,
  terminal: Terminal,
  { keepOld = false, isSingleMachine = false, step = () => undefined }: RotateKeyOptions = {},
): Promise<number> => {
  const { databases, lock, close } = await openSealedDatabases(config);
  const { show: progress, end } = progressOn(terminal);
  try {
    const rotated = await rotateKey({
      file: config.keyFile,
      databases,
      lock,
      keepOld,
      isSingleMachine,
      progress,
      warn: warningOn(terminal),
      step,
    });
    end();
    terminal.out(outcome(config.keyFile, rotated, keepOld));
    for (const what of rotated.unopenable) terminal.err(`corral-admin: no key in the file opens ${what}\n`);
    return rotated.unopenable.length === 0 ? 0 : 1;
  } finally {
    await close();
  }
};

const warningOn =
  (terminal: Terminal) =>
  (text: string): void =>
    terminal.err(`corral-admin: ${text}\n`);

const values = (count: number): string => counted(count, 'value');

const outcome = (
  file: string,
  { sealing, old, isResumed, resealed, unopenable }: Rotated,
  keepOld: boolean,
): string => {
  const head = lines(
    ...(isResumed ? ['The file contained several keys: an unfinished rotation was completed.', ''] : []),
    `${heading('key file')}${file}`,
    `${heading('sealing key')}${sealing}`,
    `${heading(old.length > 1 ? 'old keys' : 'old key')}${old.join(', ')}`,
    ...resealed.map(({ name, count }) => `${heading(name)}${values(count)} re-sealed`),
    '',
  );
  if (unopenable.length > 0) {
    return (
      head +
      lines(
        'The old keys stay in the file: some values are not sealed with any of its keys.',
        'Add the key that they need to the file, or register those objects again, and run rotate-key again.',
      )
    );
  }
  if (keepOld) {
    return (
      head +
      lines(
        'The old key stays in the file. Copy it to the other machines now, then run rotate-key again:',
        'it re-seals what was sealed there since, and removes the old key. Then copy the file once more.',
      )
    );
  }
  return (
    head +
    lines(
      'Everything is sealed with the sealing key, and no other is in the file. No restart is needed.',
      'Back up the key file now, apart from the database. Older backups of the database still need',
      'the old key: keep that with them, or replace them.',
    )
  );
};

const plan = async (
  config: Config,
  terminal: Terminal,
  { keepOld, isSingleMachine }: Required<Omit<RotateKeyOptions, 'step'>>,
): Promise<number> => {
  const { databases, close } = await openSealedDatabases(config);
  try {
    const ring = await requireRing(config.keyFile, databases);
    await requireCopied({ databases, keepOld, isSingleMachine, warn: warningOn(terminal) }, ring);
    const [sealing, ...others] = ring.keys;
    const isResumed = isBegun(ring);
    terminal.out(lines(`${heading('key file')}${config.keyFile}`, `${heading('sealing key')}${sealing.id}`));
    if (ring.next !== null) terminal.out(lines(`${heading('next key')}${ring.next}`));
    if (isResumed) terminal.out(lines(`${heading('old keys')}${others.map(({ id }) => id).join(', ')}`));
    for (const { store } of databases) {
      const count = await store.countOthers(isResumed ? sealing.id : '');
      terminal.out(lines(`${heading(store.name)}${values(count)} to be re-sealed`));
    }
    const begun = ring.next === null ? 'A new key would be made' : 'The next key would seal';
    const first = isResumed ? 'The rotation that was begun would be finished' : begun;
    const last = keepOld ? 'stay in the file' : 'leave the file';
    terminal.out(lines('', `${first}; old keys would ${last}. Nothing was changed.`));
    return 0;
  } finally {
    await close();
  }
};

const prepare = async (config: Config, terminal: Terminal): Promise<number> => {
  const { databases, lock, close } = await openSealedDatabases(config);
  try {
    const { sealing, next } = await prepareKey({ file: config.keyFile, databases, lock });
    terminal.out(
      lines(
        `${heading('key file')}${config.keyFile}`,
        `${heading('sealing key')}${sealing}`,
        `${heading('next key')}${next}`,
        '',
        'The next key can open, and does not seal yet. Copy the file to the other machines now,',
        'then run rotate-key --keep-old.',
      ),
    );
    return 0;
  } finally {
    await close();
  }
};

export const rotateKeyCommand: Command = {
  usage: '[--prepare | --keep-old | --single-machine] [--dry-run]',
  summary: 'creates a new key for secrets at rest, and seals everything with it',
  help: `The service and the OBM daemon may run meanwhile, and need no restart. If it is interrupted, run it
again: it goes on where it was.

Programs on other machines have a copy of the key file. For them, copy it after each of these:
rotate-key --prepare, then rotate-key --keep-old, then rotate-key. If other machines are connected to
the database, rotate-key alone is refused at first.

  --prepare         puts the new key into the file, and seals nothing with it yet
  --keep-old        leaves the old key in the file; the next rotate-key removes it
  --single-machine  no other machine has a copy of the key file, even if some are connected
  --dry-run         shows what would be done`,
  example: 'corral-admin rotate-key --dry-run',
  options: {
    prepare: { type: 'boolean' },
    'keep-old': { type: 'boolean' },
    'single-machine': { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  operands: 0,
  run: ({ config, terminal, options }) => {
    const keepOld = options['keep-old'] === true;
    const isSingleMachine = options['single-machine'] === true;
    const isTrial = options['dry-run'] === true;
    if (options['prepare'] === true) {
      if (keepOld || isSingleMachine || isTrial)
        throw new ConfigError(['rotate-key: --prepare cannot be combined with other options']);
      return prepare(config(), terminal);
    }
    const chosen = { keepOld, isSingleMachine };
    return isTrial ? plan(config(), terminal, chosen) : rotateKeyOf(config(), terminal, chosen);
  },
};
