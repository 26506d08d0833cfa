import type { Command } from './command.ts';
import { help } from './help.ts';
import { rotateKeyCommand } from './rotate-key.ts';

/** Every command by its name, in the order of the list. */
export const commands: Readonly<Record<string, Command>> = {
  'rotate-key': rotateKeyCommand,
  help: help(() => commands),
};
