import { backupCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import type { Command } from './command.ts';
import { copyCommand } from './copy.ts';
import { createAdminCommand } from './create-admin.ts';
import { help } from './help.ts';
import { migrateCommand } from './migrate.ts';
import { resetPasswordCommand } from './reset-password.ts';
import { restoreCommand } from './restore.ts';
import { rotateKeyCommand } from './rotate-key.ts';

/** Every command by its name, in the order of the list. */
export const commands: Readonly<Record<string, Command>> = {
  'create-admin': createAdminCommand,
  'reset-password': resetPasswordCommand,
  check: checkCommand,
  backup: backupCommand,
  restore: restoreCommand,
  copy: copyCommand,
  migrate: migrateCommand,
  'rotate-key': rotateKeyCommand,
  help: help(() => commands),
};
