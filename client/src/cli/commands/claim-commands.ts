import type { Calls } from '../../index.ts';
import { age } from '../age.ts';
import type { Command, ParsedArguments } from '../cli-command.ts';
import { claimMetadata } from '../lists/claim-match.ts';
import { reportDone } from '../report-done.ts';
import { field, simpleCommand } from '../simple-command.ts';
import { UsageError } from '../usage-error.ts';

type Claim = Calls['showClaim']['reply'];
type ClaimArgs = Calls['projectClaimPreview']['args'];

/** `corral claim nodes`: reserves nodes by what they are. */
const claimNodes: Command = {
  words: ['claim', 'nodes'],
  about: 'reserve free nodes by what they are, all or none',
  args: [
    { name: 'project', kind: 'project' },
    { name: 'count', kind: 'text' },
  ],
  options: {
    match: { value: 'CONDITIONS', about: "only nodes whose metadata fits, such as 'gpus>=4,rack=r1'" },
    nics: { value: 'COUNT', about: 'only nodes with at least so many nics' },
    switch: { value: 'SWITCH', about: 'only nodes on this switch (administrators)', kind: 'switch' },
    spread: { value: 'LABEL', about: 'from as many values of this label of metadata as possible' },
    pack: { value: 'LABEL', about: 'from as few values of this label of metadata as possible' },
    wait: { about: 'if too few are free, wait in line' },
    until: { value: 'TIME', about: 'wait until then at most, such as 2026-01-31T12:00:00Z' },
    'dry-run': { about: 'reserve nothing; show what would be reserved' },
  },
  example: "claim nodes astronomy 4 --match 'gpus>=4' --spread rack",
  run: async (context, parsed) => {
    const args = argsOf(parsed);
    const { output } = context;
    const corral = await context.corral();
    if (parsed.flag('dry-run')) {
      const preview = await corral.projectClaimPreview(args);
      if (output.isJson) output.json(preview);
      output.say(`${preview.fit} free ${preview.fit === 1 ? 'node fits' : 'nodes fit'}`);
      output.say(preview.refusal ?? `would be reserved: ${preview.nodes.join(', ')}`);
      return;
    }
    const answer = await corral.projectClaim({ ...args, ...waitOf(parsed) });
    if (answer.claim === null) {
      const verb = answer.nodes.length === 1 ? 'is' : 'are';
      reportDone(output, `${answer.nodes.join(', ')} ${verb} reserved for project ${args.project}`, answer);
    } else {
      reportDone(output, `claim ${answer.claim} waits, at place ${answer.place ?? 0} in line`, answer);
    }
  },
};

const argsOf = (parsed: ParsedArguments): ClaimArgs => {
  const [match, nics, spread, pack] = ['match', 'nics', 'spread', 'pack'].map((name) => parsed.option(name));
  if (spread !== undefined && pack !== undefined)
    throw new UsageError('--spread and --pack exclude each other; give one of them');
  return {
    project: parsed.arg('project'),
    count: wholeNumber('COUNT', parsed.arg('count')),
    match: {
      ...(match === undefined ? {} : { metadata: claimMetadata(match) }),
      ...(nics === undefined ? {} : { nics: { at_least: wholeNumber('--nics', nics) } }),
      ...field('switch', parsed.option('switch')),
    },
    ...(spread === undefined ? {} : { prefer: { spread } }),
    ...(pack === undefined ? {} : { prefer: { pack } }),
  };
};

const wholeNumber = (what: string, text: string): number => {
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`${what} ${JSON.stringify(text)}: expected a whole number`);
  return Number(text);
};

const waitOf = (parsed: ParsedArguments): { readonly wait?: true | { readonly until: string } } => {
  const until = parsed.option('until');
  if (until !== undefined) return { wait: { until } };
  return parsed.flag('wait') ? { wait: true } : {};
};

const claimList: Command = {
  words: ['claim', 'list'],
  about: "list a project's claims that wait, and those that ended in the last 7 days",
  args: [{ name: 'project', kind: 'project' }],
  example: 'claim list astronomy',
  run: async ({ corral, output }, parsed) => {
    const claims = await (await corral()).listProjectClaims({ project: parsed.arg('project') });
    output.table(
      ['claim', 'state', 'place', 'count', 'made'],
      claims.map((claim) => [
        claim.claim,
        claim.state,
        claim.place === null ? '' : String(claim.place),
        String(claim.count),
        age(claim.made_at),
      ]),
      claims,
      'no claims',
    );
  },
};

const claimShow: Command = {
  words: ['claim', 'show'],
  about: 'show a claim that waits, or did, with the nodes that it got',
  args: [{ name: 'claim', kind: 'text' }],
  example: 'claim show 7f3c2a10-5b1d-4a57-9f0e-2b8f6f0f4a11',
  run: async ({ corral, output }, parsed) => {
    const claim = await (await corral()).showClaim({ claim: parsed.arg('claim') });
    output.facts(factsOf(claim), claim);
  },
};

const factsOf = (claim: Claim): readonly (readonly [string, string])[] => [
  ['claim', claim.claim],
  ['project', claim.project],
  ['state', claim.place === null ? claim.state : `${claim.state}, at place ${claim.place} in line`],
  ...(claim.reason === null ? [] : [['reason', claim.reason] as const]),
  ['made', `by ${claim.user}, ${age(claim.made_at)}`],
  ['until', claim.until],
  ['count', String(claim.count)],
  ['match', JSON.stringify(claim.match)],
  ...(claim.prefer === null ? [] : [['prefer', JSON.stringify(claim.prefer)] as const]),
  ...(claim.nodes.length === 0 ? [] : [['nodes', claim.nodes.join(', ')] as const]),
];

/** What can be done with claims. */
export const claimCommands: readonly Command[] = [
  claimNodes,
  claimList,
  claimShow,
  simpleCommand({
    usage: 'claim cancel <claim:text>',
    about: 'cancel a claim that waits',
    example: 'claim cancel 7f3c2a10-5b1d-4a57-9f0e-2b8f6f0f4a11',
    call: (corral, args) => corral.claimCancel(args),
    sentence: ({ claim }) => `claim ${claim} is cancelled`,
  }),
];
