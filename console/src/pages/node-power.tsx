import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral, type NodeOverview } from '../api/client.ts';
import { powerOf } from '../api/queries.ts';
import { Ask } from '../ui/ask.tsx';
import { Card } from '../ui/card.tsx';
import { SelectField } from '../ui/field.tsx';
import { DisableObm, EnableObm } from '../ui/obm.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';

/** Power, boot device and console, which all need out-of-band management. */
export const NodePower = ({ node }: { readonly node: NodeOverview }) => {
  const isEnabled = node.obm_enabled === true;
  return (
    <Card title="Power" actions={isEnabled ? <DisableObm node={node.name} /> : <EnableObm node={node.name} />}>
      {isEnabled ? (
        <div className="p-3.5">
          <PowerControls node={node.name} />
        </div>
      ) : (
        <p className="p-3.5 text-dim">
          Out-of-band management (OBM) is disabled: enable it to see the power state, turn {node.name} on and off, and
          open its serial console.
        </p>
      )}
    </Card>
  );
};

const bootDevices = ['disk', 'pxe', 'none'] as const;
const bootNames = { disk: 'disk', pxe: 'network (pxe)', none: 'its usual device (none)' } as const;

/** Turns a node on and off, and says what it boots from. */
export const PowerControls = ({ node: name }: { readonly node: string }) => {
  const power = useQuery(powerOf(name));
  const [device, setDevice] = useState<(typeof bootDevices)[number]>('pxe');
  const state = power.data?.power_status;
  // The machine changes without an event of its own.
  const order = (run: () => Promise<unknown>) => async () => {
    await run();
    await power.refetch();
  };
  return (
    <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 pb-1">
        <span role="status" aria-label="Power" className="min-w-24">
          {power.error ? (
            <span className="text-bad">{sentenceOf(power.error)}</span>
          ) : (
            <span className={`inline-flex items-center gap-1.5 font-semibold ${state === 'on' ? 'text-ok' : ''}`}>
              <span aria-hidden className={`size-2 rounded-full ${state === 'on' ? 'bg-ok' : 'bg-line-strong'}`} />
              {state ?? 'asking…'}
            </span>
          )}
        </span>
        <Ask
          label="Turn on"
          unless={state === 'on' ? `${name} is on` : null}
          title={`Turn ${name} on`}
          verb="Turn on"
          command={commandOf('node', 'power', 'on', name)}
          run={order(() => corral.nodePowerOn({ node: name }))}
        />
        <Ask
          label="Turn off"
          look="danger"
          unless={state === 'off' ? `${name} is off` : null}
          title={`Turn ${name} off?`}
          verb="Turn off"
          command={commandOf('node', 'power', 'off', name)}
          run={order(() => corral.nodePowerOff({ node: name }))}
        >
          {name} loses its power at once: what it has not written to its disks is lost.
        </Ask>
        <Ask
          label="Restart"
          look="danger"
          title={`Restart ${name}?`}
          verb="Restart"
          command={commandOf('node', 'power', 'cycle', name)}
          run={order(() => corral.nodePowerCycle({ node: name }))}
        >
          The operating system of {name} is asked to shut down; then it boots from the network.
        </Ask>
        <Ask
          label="Force restart"
          look="danger"
          title={`Restart ${name} by force?`}
          verb="Force restart"
          command={commandOf('node', 'power', 'cycle', name, '--force')}
          run={order(() => corral.nodePowerCycle({ node: name, force: true }))}
        >
          {name} is restarted without shutting down its operating system, and boots from the network. What it has not
          written to its disks is lost.
        </Ask>
      </div>
      <div className="flex flex-wrap items-end gap-x-3">
        <SelectField
          label="Boot device"
          value={device}
          onChange={({ target }) => setDevice(bootDevices.find((each) => each === target.value) ?? device)}
        >
          {bootDevices.map((each) => (
            <option key={each} value={each}>
              {bootNames[each]}
            </option>
          ))}
        </SelectField>
        <div className="pb-1">
          <Ask
            label="Set boot device"
            title={`Boot ${name} from ${bootNames[device]}`}
            verb="Set boot device"
            command={commandOf('node', 'bootdev', name, device)}
            run={() => corral.nodeSetBootdev({ node: name, bootdev: device })}
          >
            When {name} starts the next time, it boots from {bootNames[device]}.
          </Ask>
        </div>
      </div>
    </div>
  );
};
