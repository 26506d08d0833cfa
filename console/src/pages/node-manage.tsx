import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral, type NodeOverview } from '../api/client.ts';
import { powerOf } from '../api/queries.ts';
import { onlyProject, useProjects } from '../api/use-projects.ts';
import { Ask } from '../ui/ask.tsx';
import { Card } from '../ui/card.tsx';
import { SelectField } from '../ui/field.tsx';
import { ProjectField } from '../ui/project-field.tsx';
import { DisableObm, EnableObm } from '../ui/obm.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import { Blocks } from './node-blocks.tsx';

interface OneNode {
  readonly node: NodeOverview;
}

/** Power, boot device and console, which all need out-of-band management. */
export const NodePower = ({ node }: OneNode) => {
  const isEnabled = node.obm_enabled === true;
  return (
    <Card title="Power" actions={isEnabled ? <DisableObm node={node.name} /> : <EnableObm node={node.name} />}>
      {isEnabled ? (
        <PowerControls node={node} />
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

const PowerControls = ({ node: { name } }: OneNode) => {
  const power = useQuery(powerOf(name));
  const [device, setDevice] = useState<(typeof bootDevices)[number]>('pxe');
  const state = power.data?.power_status;
  // The machine changes without an event of its own.
  const order = (run: () => Promise<unknown>) => async () => {
    await run();
    await power.refetch();
  };
  return (
    <div className="grid gap-4 p-3.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
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

/** What stands in the way of giving a node back, the step for each, and then the way out. */
export const GiveBack = ({ node, project }: OneNode & { readonly project: string }) => {
  const blocks = node.blocked ?? [];
  return (
    <Card title="Give it back">
      <Blocks node={node} label="What stands in the way" />
      <div className="grid gap-2 p-3.5">
        {blocks.length === 0 && <p className="text-dim">Nothing stands in the way.</p>}
        <div>
          <Ask
            label="Release"
            look="danger"
            unless={blocks[0] === undefined ? null : sentenceOf(blocks[0])}
            title={`Release ${node.name}?`}
            verb={`Release ${node.name}`}
            command={commandOf('release', node.name)}
            run={() => corral.projectDetachNode({ project, node: node.name })}
          >
            {node.name} leaves project {project}, and others can reserve it. What is on its disks stays there. It stays
            on or off as it is.
          </Ask>
        </div>
      </div>
    </Card>
  );
};

/** A free node is anybody's who has a project. */
export const Reserve = ({ node }: OneNode) => {
  const { name } = node;
  const [first] = node.blocked ?? [];
  const projects = useProjects();
  const [wished, setWished] = useState('');
  const project = projects.includes(wished) ? wished : onlyProject(projects);
  const why = first === undefined ? null : sentenceOf(first);
  return (
    <Card title={first === undefined ? 'It is free' : 'It cannot be reserved'}>
      <Blocks node={node} label="Why it cannot be reserved" />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-3.5">
        {projects.length === 0 ? (
          <p className="text-dim">You are in no project that could have it.</p>
        ) : (
          <>
            {projects.length > 1 && <ProjectField projects={projects} value={project} onChange={setWished} />}
            <div>
              <Ask
                label={<span className="truncate">{project === '' ? 'Reserve' : `Reserve for ${project}`}</span>}
                className="max-w-full"
                look="primary"
                unless={why ?? (project === '' ? 'Choose a project first' : null)}
                title={`Reserve ${name}`}
                verb={`Reserve for ${project}`}
                command={commandOf('project', 'node', 'add', project, name)}
                run={() => corral.projectConnectNode({ project, node: name })}
              >
                {name} belongs to project {project} then, until it is released.
              </Ask>
            </div>
          </>
        )}
      </div>
    </Card>
  );
};
