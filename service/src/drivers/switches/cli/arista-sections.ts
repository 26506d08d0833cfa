import type { Refusal } from '../switch-contract.ts';
import { portsFrom } from './ports-from-config.ts';
import { interfaceSections } from './config-sections.ts';
import type { ShownPort } from './dialect.ts';
import { switchportIn, switchportLines } from './interface-sections.ts';
import { beginningWith, commonLines, type KnownLines } from './known-lines.ts';
import { mirrorsIn } from './port-mirrors.ts';

/** What EOS has on a port that is understood. */
const aristaLines: KnownLines = {
  read: switchportLines,
  plain: [
    ...commonLines,
    beginningWith('ip igmp|link tracking|hardware|queue-monitor|l2 mtu|logging format|traffic-loopback'),
    /^no switchport mac address learning$/,
  ],
};

/**
 * What the ports of EOS carry, from the answers to `show running-config interfaces` (all, or one) and, in any form, the
 * lines `interface …` of subinterfaces and `monitor session …`.
 */
export const aristaPortsIn = (
  [blocks = '', more = '']: readonly string[],
  portName: (name: string) => string | Refusal,
): readonly ShownPort[] =>
  portsFrom(
    interfaceSections(blocks, { around: [] }),
    portName,
    (section, port) => switchportIn(section, port, aristaLines, { mode: 'access' }),
    {
      mirrors: mirrorsIn(more, portName, [/^interface \S+$/]),
      interfaces: more.split('\n').flatMap((line) => /^interface (\S+)$/.exec(line)?.[1] ?? []),
    },
  );
