import { useState } from 'react';
import { corral } from '../api/client.ts';
import { useProjects } from '../api/use-projects.ts';
import { onlyOne } from '../ui/choice-field.tsx';
import { Button } from '../ui/button.tsx';
import { useOutcomes } from '../ui/outcomes.tsx';
import { ProjectField } from '../ui/project-field.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { type Progress, type Work, WorkDialog } from '../ui/work-dialog.tsx';
import { ConnectNodes } from './nodes-connect.tsx';
import { PowerNodes } from './nodes-power.tsx';
import { ReleaseNodes } from './nodes-release.tsx';
import type { NodeRow } from './nodes-search.ts';

type Doing = 'reserve' | 'release' | 'connect' | 'power';

/** What can be done with all of the chosen nodes; every refusal is shown beside its node. */
export const NodeActions = ({
  chosen,
  onDone,
}: {
  readonly chosen: readonly NodeRow[];
  readonly onDone: () => void;
}) => {
  const projects = useProjects();
  const [wished, setProject] = useState<string | null>(null);
  const project = wished ?? onlyOne(projects);
  const [doing, setDoing] = useState<{ readonly what: Doing; readonly nodes: readonly NodeRow[] } | null>(null);
  const { outcomes, start, clear } = useOutcomes();
  const allFree = chosen.every(({ state }) => state === 'free');
  const allMine = chosen.every(({ state }) => state === 'mine');
  const areReserved = chosen.every(({ node }) => (node?.project ?? null) !== null);
  const progress: Progress = {
    outcomes,
    begin: ({ things, run }) => void start(things.map((row) => ({ key: row.name, run: () => run(row) }))),
    close: () => {
      setDoing(null);
      clear();
    },
  };
  const reserving: Work<NodeRow> = {
    things: chosen,
    run: ({ name }) => corral.projectConnectNode({ project, node: name }),
  };
  const ask = (what: Doing) => (): void => setDoing({ what, nodes: chosen });
  const notReserved = areReserved ? null : 'Some of these are not in a project of yours';

  return (
    <div className="flex flex-wrap items-end gap-3 border-b border-line bg-accent-soft p-3">
      <span className="self-center font-medium">{chosen.length} chosen</span>
      {projects.length > 1 && allFree && <ProjectField projects={projects} value={project} onChange={setProject} />}
      <Button
        look="primary"
        unless={
          projects.length === 0
            ? 'You are in no project that could have them'
            : !allFree
              ? 'Some of these are not free'
              : project === ''
                ? 'Choose a project first'
                : null
        }
        onClick={() => {
          ask('reserve')();
          progress.begin(reserving);
        }}
      >
        Reserve{projects.length === 1 ? ` for ${project}` : ''}
      </Button>
      <Button unless={notReserved} onClick={ask('connect')}>
        Connect…
      </Button>
      <Button unless={notReserved} onClick={ask('power')}>
        Power…
      </Button>
      <Button unless={allMine ? null : 'Some of these are not in a project of yours'} onClick={ask('release')}>
        Release…
      </Button>
      <Button look="quiet" onClick={onDone}>
        Choose none
      </Button>
      {doing?.what === 'reserve' && (
        <WorkDialog
          {...reserving}
          kind="node"
          verb="Reserve"
          things={doing.nodes}
          command={doing.nodes.map(({ name }) => commandOf('project', 'node', 'add', project, name)).join('; ')}
          progress={progress}
        />
      )}
      {doing?.what === 'release' && (
        <ReleaseNodes
          rows={doing.nodes}
          onClose={(hasBegun) => {
            setDoing(null);
            // What was reserved is connected next, so that it stays chosen; what goes does not.
            if (hasBegun) onDone();
          }}
        />
      )}
      {doing?.what === 'connect' && <ConnectNodes nodes={doing.nodes} progress={progress} />}
      {doing?.what === 'power' && <PowerNodes nodes={doing.nodes} progress={progress} />}
    </div>
  );
};
