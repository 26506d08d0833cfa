import { type NicWiring, showNodeWiring } from '../core/wiring.ts';
import { type Attempt, findCleaned, type Verdict } from './cleaning-attempt.ts';
import { nicsOn } from './cleaning-boot.ts';

/*
 * Where a node is plugged in, told by the switches while it is on and on the cleaning network. A nic that is recorded on
 * the wrong port would give its next project the port of another.
 */
export const checkWiring = async (attempt: Attempt): Promise<Verdict> => {
  const { context, cleaning, rules } = attempt;
  const onNetwork = await context.read(async (op) => nicsOn(op, await findCleaned(op, attempt), rules.boot.network));
  const expected = new Set(onNetwork.map(({ nic }) => nic));
  const { nics } = await showNodeWiring(context, { node: cleaning.node });
  // Those that are on no network say nothing, but one that was seen elsewhere is wrong all the same.
  const judged = nics.filter(({ nic, verdict }) => expected.has(nic) || verdict === 'elsewhere');
  const evidence = judged.map(seenAs).join('\n');
  const wrong = judged.find(({ verdict }) => verdict === 'elsewhere');
  if (wrong !== undefined) return { kind: 'failed', sentence: seenAs(wrong), evidence };
  const open = judged.find(({ verdict }) => verdict !== 'right');
  if (open !== undefined) return { kind: 'later', sentence: seenAs(open), evidence };
  return { kind: 'passed', sentence: 'the switches see every nic at the port that it is recorded on', evidence };
};

const seenAs = ({ nic, macaddr, switch: home, port, seen, verdict, reason }: NicWiring): string => {
  const recorded = port === null ? 'on no port' : `on port ${port} of switch ${home ?? ''}`;
  const places = seen.map((at) => {
    const whose = at.nic === null ? '' : ` (nic ${at.nic} of node ${at.node ?? ''})`;
    return `port ${at.port} of switch ${at.switch}${whose}`;
  });
  const found = places.length === 0 ? 'nowhere' : `at ${places.join(', ')}`;
  const name = `nic ${nic} (${macaddr}) is recorded ${recorded}`;
  return verdict === 'unknown' ? `${name}, and was not seen: ${reason ?? ''}` : `${name}, and was seen ${found}`;
};
