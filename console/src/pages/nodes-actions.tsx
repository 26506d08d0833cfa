import { useState } from 'react';
import { corral } from '../api/client.ts';
import { onlyProject, useProjects } from '../api/use-projects.ts';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog, focusedFirst } from '../ui/dialog.tsx';
import { OutcomeList, useOutcomes } from '../ui/outcomes.tsx';
import { ProjectField } from '../ui/project-field.tsx';
import { commandOf } from '../ui/shell-word.ts';
import type { NodeRow } from './nodes-search.ts';

/** What is done to each of the chosen nodes, and what it is called. */
interface Work {
  readonly verb: string;
  readonly nodes: readonly NodeRow[];
  readonly run: (node: NodeRow) => Promise<unknown>;
  readonly command: string;
  /** What will happen; null: it is done without a question. */
  readonly question: string | null;
}

const count = (nodes: readonly unknown[]): string => (nodes.length === 1 ? '1 node' : `${nodes.length} nodes`);

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
  const project = wished ?? onlyProject(projects);
  const [work, setWork] = useState<Work | null>(null);
  const { outcomes, isBusy, start, clear } = useOutcomes();
  const names = chosen.map(({ name }) => name);
  const allFree = chosen.every(({ state }) => state === 'free');
  const allMine = chosen.every(({ state }) => state === 'mine');
  const reserving: Work = {
    verb: 'Reserve',
    nodes: chosen,
    run: ({ name }) => corral.projectConnectNode({ project, node: name }),
    command: names.map((name) => commandOf('project', 'node', 'add', project, name)).join('; '),
    question: null,
  };
  const releasing: Work = {
    verb: 'Release',
    nodes: chosen,
    run: ({ name, node }) => corral.projectDetachNode({ project: node?.project ?? '', node: name }),
    command: commandOf('release', ...names),
    question:
      'They leave their projects, and others can reserve them. What is on their disks stays there. They stay on or off as they are.',
  };

  const begin = ({ nodes, run }: Work): void =>
    void start(nodes.map((row) => ({ key: row.name, run: () => run(row) })));
  const close = (): void => {
    if (outcomes.length > 0 && outcomes.every(({ state }) => state === 'done')) onDone();
    setWork(null);
    clear();
  };

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
          setWork(reserving);
          begin(reserving);
        }}
      >
        Reserve{projects.length === 1 ? ` for ${project}` : ''}
      </Button>
      <Button
        unless={allMine ? null : 'Some of these are not in a project of yours'}
        onClick={() => setWork(releasing)}
      >
        Release…
      </Button>
      <Button look="quiet" onClick={onDone}>
        Choose none
      </Button>
      {work !== null && (
        <Dialog title={`${work.verb} ${count(work.nodes)}`} isOpen onClose={close}>
          <div className="grid gap-4">
            {outcomes.length === 0 ? (
              <>
                <p className="max-h-40 overflow-auto font-mono">{work.nodes.map(({ name }) => name).join(', ')}</p>
                <p className="text-dim">{work.question}</p>
              </>
            ) : (
              <OutcomeList label={`${work.verb} nodes`} outcomes={outcomes} />
            )}
            <Command text={work.command} />
            {outcomes.length === 0 && (
              <div className="flex flex-wrap justify-end gap-2">
                <Button {...focusedFirst} onClick={close}>
                  Cancel
                </Button>
                <Button look="danger" isBusy={isBusy} onClick={() => begin(work)}>
                  {work.verb} {count(work.nodes)}
                </Button>
              </div>
            )}
          </div>
        </Dialog>
      )}
    </div>
  );
};
