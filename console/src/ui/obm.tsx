import { corral } from '../api/client.ts';
import { lackOfBmc, useBmc } from '../api/use-bmc.ts';
import { Ask } from './ask.tsx';
import { commandOf } from './shell-word.ts';

interface OneNode {
  readonly node: string;
}

/** Lets power, boot device and console of a node be used. */
export const EnableObm = ({ node: name }: OneNode) => (
  <Ask
    label="Enable OBM"
    unless={lackOfBmc(name, useBmc(name))}
    title={`Enable OBM of ${name}`}
    verb="Enable OBM"
    command={commandOf('node', 'obm', 'enable', name)}
    run={() => corral.nodeSetObm({ node: name, enabled: true })}
  >
    Power, boot device and serial console of {name} can be used then. Before it is released, it is disabled again.
  </Ask>
);

/** And no more. */
export const DisableObm = ({ node: name }: OneNode) => (
  <Ask
    label="Disable OBM"
    title={`Disable OBM of ${name}?`}
    verb="Disable OBM"
    command={commandOf('node', 'obm', 'disable', name)}
    run={() => corral.nodeSetObm({ node: name, enabled: false })}
  >
    A client that has the serial console of {name} open loses it. The machine stays on or off as it is.
  </Ask>
);
