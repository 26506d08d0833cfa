import type { Release } from '../../index.ts';
import { age } from '../age.ts';
import type { Command } from '../cli-command.ts';
import { whatItDoes } from '../release-nodes.ts';

/** What a release does, or how it ended. */
const outcomeOf = (release: Release): string => {
  switch (release.state) {
    case 'running':
      return whatItDoes(release);
    case 'done':
      return `done ${age(release.ended_at ?? release.started_at)}`;
    case 'failed':
      return `failed ${age(release.ended_at ?? release.started_at)}: ${release.problem ?? ''}`;
  }
};

/** `corral project release list`. */
export const releaseList: Command = {
  words: ['project', 'release', 'list'],
  about: "list releases of a project's nodes: those that are running, and those that ended within a week",
  args: [{ name: 'project', kind: 'project' }],
  example: 'project release list astronomy',
  run: async ({ corral, output }, parsed) => {
    const releases = await (await corral()).listProjectReleases({ project: parsed.arg('project') });
    const rows = releases.map((one) => [one.node, one.caller, age(one.started_at), outcomeOf(one)]);
    output.table(['node', 'by', 'begun', 'release'], rows, releases, 'no releases');
  },
};

/** `corral project release show`. */
export const releaseShow: Command = {
  words: ['project', 'release', 'show'],
  about: 'show how far the release of a node is',
  args: [{ name: 'release', kind: 'text' }],
  example: 'project release show 1f0c6a52-9d3e-4c1b-8a57-2f6f0f4f1f00',
  run: async ({ corral, output }, parsed) => {
    const found = await (await corral()).showRelease({ release: parsed.arg('release') });
    output.facts(
      [
        ['release', found.release],
        ['node', found.node],
        ['project', found.project],
        ['by', found.caller],
        ['begun', age(found.started_at)],
        ['state', outcomeOf(found)],
        ...(found.for_repair === null ? [] : [['for repair', found.for_repair] as const]),
        ...found.detaches.map(({ nic, network, status_id }) => [nic, `from ${network}: ${status_id}`] as const),
      ],
      found,
    );
  },
};
