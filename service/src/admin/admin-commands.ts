import { backupCommand } from './backup-command.ts';
import { checkCommand } from './check-command.ts';
import type { Command } from './admin-command.ts';
import { copyCommand } from './copy-command.ts';
import { createAdminCommand } from './create-admin-command.ts';
import { exportHistoryCommand } from './export-history-command.ts';
import { help } from './help-command.ts';
import { migrateCommand } from './migrate-command.ts';
import { resetPasswordCommand } from './reset-password-command.ts';
import { restoreCommand } from './restore-command.ts';
import { rotateKeyCommand } from './rotate-key-command.ts';

/** Every command by its name, in the order of the list. */
export const commands: Readonly<Record<string, Command>> = {
  'create-admin': createAdminCommand,
  'reset-password': resetPasswordCommand,
  check: checkCommand,
  backup: backupCommand,
  restore: restoreCommand,
  copy: copyCommand,
  'export-history': exportHistoryCommand,
  migrate: migrateCommand,
  'rotate-key': rotateKeyCommand,
  help: help(() => commands),
};
