import type { Calls } from '../../index.ts';
import type { Command } from '../cli-command.ts';
import { field } from '../simple-command.ts';
import { allHeadnodes } from './all-pages.ts';
import { naturalOrder } from '../../natural-order.ts';

type HeadnodeOverview = Calls['headnodesOverview']['reply']['headnodes'][number];

/** `corral headnode list`: the headnodes of one project, or of all that the caller has access to. */
export const headnodeList: Command = {
  words: ['headnode', 'list'],
  about: 'list the headnodes of your projects, or of one project; administrators see all',
  args: [{ name: 'project', kind: 'project', isOptional: true }],
  example: 'headnode list astronomy',
  run: async ({ corral, output }, parsed) => {
    const project = parsed.optional('project');
    const { event, headnodes } = await allHeadnodes(await corral(), field('project', project));
    const sorted = headnodes.toSorted((one, other) => naturalOrder(one.name, other.name));
    output.table(
      ['headnode', 'project', 'state', 'image', 'hnics'],
      sorted.map((headnode) => [
        headnode.name,
        headnode.project,
        stateOf(headnode),
        headnode.base_img,
        headnode.hnics.map(({ label, network }) => (network === null ? label : `${label} (${network})`)).join(', '),
      ]),
      // Of one project programs get what they always got.
      project === undefined ? { event, headnodes: sorted } : headnodes.map(({ name }) => name).sort(),
      'no headnodes',
    );
  },
};

const underWay: Readonly<Record<HeadnodeOverview['state'], string>> = {
  created: 'created',
  started: 'being started',
  stopped: 'being stopped',
  deleting: 'being deleted',
};

const stateOf = ({ state, in_progress }: HeadnodeOverview): string => (in_progress ? underWay[state] : state);
