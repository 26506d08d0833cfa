import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { releasesOf } from '../api/queries.ts';
import { AfterRelease } from '../ui/after-release.tsx';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog, focusedFirst } from '../ui/dialog.tsx';
import { OutcomeList, useOutcomes } from '../ui/outcomes.tsx';
import { ReleaseProgress } from '../ui/release-progress.tsx';
import { commandOf } from '../ui/shell-word.ts';
import type { NodeRow } from './nodes-search.ts';

/** So many nodes are taken by one call. */
const mostAtOnce = 200;

/** What one call asks for. */
interface Part {
  readonly key: string;
  readonly project: string;
  readonly nodes: readonly string[];
}

/** A release that has begun. */
interface Begun {
  readonly node: string;
  readonly release: string;
}

/** A call gives back nodes of one project, all or none. */
const partsOf = (rows: readonly NodeRow[]): readonly Part[] => {
  const byProject = new Map<string, string[]>();
  for (const { name, node } of rows) {
    const project = node?.project ?? '';
    byProject.set(project, [...(byProject.get(project) ?? []), name]);
  }
  return [...byProject].flatMap(([project, names]) =>
    Array.from({ length: Math.ceil(names.length / mostAtOnce) }, (_, index): Part => {
      const nodes = names.slice(index * mostAtOnce, (index + 1) * mostAtOnce);
      return { key: index === 0 ? project : `${project} (${index + 1})`, project, nodes };
    }),
  );
};

/** Asks before nodes are given back, has the service do it, and shows how far each is. It goes on when this is closed. */
export const ReleaseNodes = ({
  rows,
  onClose,
}: {
  readonly rows: readonly NodeRow[];
  readonly onClose: (hasBegun: boolean) => void;
}) => {
  const queries = useQueryClient();
  const { outcomes, start } = useOutcomes();
  const [begun, setBegun] = useState<Readonly<Record<string, readonly Begun[]>>>({});
  const isAsking = outcomes.length === 0;
  const many = rows.length === 1 ? '1 node' : `${rows.length} nodes`;
  const close = (): void => onClose(Object.keys(begun).length > 0);
  const release = async ({ project, nodes }: Part): Promise<void> => {
    const { releases } = await corral.projectReleaseNodes({ project, nodes: [...nodes] });
    setBegun((before) => ({ ...before, [project]: [...(before[project] ?? []), ...releases] }));
    void queries.invalidateQueries({ queryKey: releasesOf(project).queryKey });
  };
  return (
    <Dialog title={`Release ${many}`} isOpen onClose={close}>
      <div className="grid gap-4">
        {isAsking ? (
          <>
            <p className="max-h-40 overflow-auto font-mono">{rows.map(({ name }) => name).join(', ')}</p>
            <p className="text-dim">
              Networks are detached and OBM is disabled; then{' '}
              {rows.length === 1 ? 'it leaves its project' : 'they leave their projects'}.{' '}
              <AfterRelease count={rows.length} />
            </p>
          </>
        ) : (
          <>
            {outcomes.some(({ state }) => state !== 'done') && (
              <OutcomeList label="Not begun" outcomes={outcomes.filter(({ state }) => state !== 'done')} />
            )}
            {Object.entries(begun).map(([project, releases]) => (
              <Progress key={project} project={project} begun={releases} />
            ))}
          </>
        )}
        <div className="flex max-h-40 min-w-0 overflow-auto">
          <Command text={commandOf('release', ...rows.map(({ name }) => name))} />
        </div>
        {isAsking && (
          <div className="flex flex-wrap justify-end gap-2">
            <Button {...focusedFirst} onClick={close}>
              Cancel
            </Button>
            <Button
              look="danger"
              onClick={() => void start(partsOf(rows).map((part) => ({ key: part.key, run: () => release(part) })))}
            >
              Release {many}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
};

const Progress = ({ project, begun }: { readonly project: string; readonly begun: readonly Begun[] }) => {
  const list = useQuery(releasesOf(project)).data ?? [];
  return (
    <div className="grid gap-2">
      <ul aria-label={`Releases from ${project}`} aria-live="polite" className="grid max-h-80 gap-2 overflow-auto">
        {begun.map(({ node, release }) => {
          const found = list.find((each) => each.release === release);
          return (
            <li key={release} aria-label={node} className="grid gap-0.5">
              <span className="truncate font-mono" title={node}>
                {node}
              </span>
              {found === undefined ? <span className="text-dim">begun</span> : <ReleaseProgress release={found} />}
            </li>
          );
        })}
      </ul>
      <p className="text-dim">
        The service goes on when this is closed:{' '}
        <Link to="/releases" search={{ project }} className="text-accent underline">
          releases of {project}
        </Link>
        .
      </p>
    </div>
  );
};
