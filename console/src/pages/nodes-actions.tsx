import { useState } from 'react';
import { corral } from '../api/client.ts';
import { useProjects } from '../api/use-projects.ts';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { sentenceOf } from '../ui/states.tsx';
import type { NodeRow } from './nodes-search.ts';

/** How it went with one of them. */
interface Outcome {
  readonly node: string;
  readonly state: 'waiting' | 'done' | 'refused';
  readonly why?: string;
}

/** What is done to each of the chosen nodes, and what it is called. */
interface Work {
  readonly verb: string;
  readonly run: (node: NodeRow) => Promise<unknown>;
  readonly command: string;
}

/** So many at once: the service takes no more of one caller at a time. */
const atOnce = 4;

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
  const project = wished ?? projects[0] ?? '';
  const [outcomes, setOutcomes] = useState<{ readonly work: Work; readonly list: readonly Outcome[] } | null>(null);
  const names = chosen.map(({ name }) => name).join(' ');
  const allFree = chosen.every(({ state }) => state === 'free');
  const allMine = chosen.every(({ state }) => state === 'mine');

  const start = async (work: Work): Promise<void> => {
    const list: Outcome[] = chosen.map(({ name }) => ({ node: name, state: 'waiting' }));
    const tell = (): void => setOutcomes({ work, list: [...list] });
    tell();
    const rest = [...chosen.entries()];
    const next = async (): Promise<void> => {
      for (let entry = rest.shift(); entry !== undefined; entry = rest.shift()) {
        const [index, row] = entry;
        try {
          await work.run(row);
          list[index] = { node: row.name, state: 'done' };
        } catch (error) {
          list[index] = { node: row.name, state: 'refused', why: sentenceOf(error as Error) };
        }
        tell();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, next));
  };

  return (
    <div className="flex flex-wrap items-end gap-3 border-b border-line bg-accent-soft p-3">
      <span className="self-center font-medium">{chosen.length} chosen</span>
      {projects.length > 1 && allFree && (
        <SelectField label="For project" value={project} onChange={(event) => setProject(event.target.value)}>
          {projects.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
      )}
      <Button
        look="primary"
        unless={
          projects.length === 0
            ? 'You are in no project that could have them'
            : allFree
              ? null
              : 'Some of these are not free'
        }
        onClick={() =>
          void start({
            verb: 'Reserve',
            run: ({ name }) => corral.projectConnectNode({ project, node: name }),
            command: `for node in ${names}; do corral project node add ${project} $node; done`,
          })
        }
      >
        Reserve{projects.length === 1 ? ` for ${project}` : ''}
      </Button>
      <Button
        unless={allMine ? null : 'Some of these are not in a project of yours'}
        onClick={() =>
          void start({
            verb: 'Release',
            run: ({ name, node }) => corral.projectDetachNode({ project: node?.project ?? '', node: name }),
            command: `corral release ${names}`,
          })
        }
      >
        Release
      </Button>
      <Button look="quiet" onClick={onDone}>
        Choose none
      </Button>
      <Dialog
        title={outcomes === null ? '' : `${outcomes.work.verb} ${chosen.length} nodes`}
        isOpen={outcomes !== null}
        onClose={() => {
          if (outcomes?.list.every(({ state }) => state === 'done')) onDone();
          setOutcomes(null);
        }}
      >
        <ul className="mb-4 grid gap-1.5" aria-live="polite">
          {outcomes?.list.map(({ node, state, why }) => (
            <li key={node} className="grid grid-cols-[10rem_1fr] gap-2">
              <span className="truncate font-mono">{node}</span>
              <span className={state === 'refused' ? 'text-bad' : state === 'done' ? 'text-ok' : 'text-dim'}>
                {state === 'refused' ? why : state === 'done' ? 'done' : 'waiting…'}
              </span>
            </li>
          ))}
        </ul>
        {outcomes !== null && <Command text={outcomes.work.command} />}
      </Dialog>
    </div>
  );
};
