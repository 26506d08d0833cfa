import type { Command } from '../command.ts';

/** A whole site from one document, and back. What they need is loaded only for them. */
export const siteCommands: readonly Command[] = [
  {
    words: ['apply'],
    about: 'make the service have what a site document says; shows a plan and asks first',
    args: [{ name: 'file', kind: 'file' }],
    options: {
      yes: { about: 'do not ask' },
      'dry-run': { about: 'show the plan and do nothing' },
      all: { about: 'show every line of the plan' },
    },
    example: 'apply site.yaml',
    run: async (scene, given) => (await import('../site/run-apply.ts')).runApply(scene, given),
  },
  {
    words: ['export'],
    about: 'write the site document of what the service has, without secrets',
    args: [{ name: 'file', kind: 'file', isOptional: true }],
    options: { force: { about: 'overwrite the file' } },
    example: 'export site.yaml',
    run: async (scene, given) => (await import('../site/run-export.ts')).runExport(scene, given),
  },
];
