import type { Command } from '../cli-command.ts';
import { runApply } from '../site-document/run-apply.ts';
import { runExport } from '../site-document/run-export.ts';

/** A whole site from one document, and back. */
export const siteCommands: readonly Command[] = [
  {
    words: ['apply'],
    about: 'apply a site document to the service; shows the plan and asks first',
    args: [{ name: 'file', kind: 'file' }],
    options: {
      yes: { about: 'do not ask' },
      'dry-run': { about: 'show the plan without applying it' },
      revert: { about: 'take away what ports of free nodes carry that nobody recorded; shows what, and asks first' },
      all: { about: 'show every line of the plan' },
    },
    example: 'apply site.yaml',
    run: runApply,
  },
  {
    words: ['export'],
    about: 'write the state of the service to a site document, without secrets',
    args: [{ name: 'file', kind: 'file', isOptional: true }],
    options: { force: { about: 'overwrite the file' } },
    example: 'export site.yaml',
    run: runExport,
  },
];
