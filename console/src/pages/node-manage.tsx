import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { corral, type NodeOverview } from '../api/client.ts';
import { releasesOf } from '../api/queries.ts';
import { useProjects } from '../api/use-projects.ts';
import { AfterRelease } from '../ui/after-release.tsx';
import { Ago } from '../ui/ago.tsx';
import { Ask } from '../ui/ask.tsx';
import { Card } from '../ui/card.tsx';
import { onlyOne } from '../ui/choice-field.tsx';
import { ProjectField } from '../ui/project-field.tsx';
import { ReleaseProgress } from '../ui/release-progress.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import { Blocks } from './node-blocks.tsx';

interface OneNode {
  readonly node: NodeOverview;
}

/** Gives a node back: what that takes, how far it is, and what stands in the way. */
export const GiveBack = ({ node, project }: OneNode & { readonly project: string }) => {
  const query = useQuery(releasesOf(project));
  const release = query.data?.find((each) => each.node === node.name);
  const isRunning = release?.state === 'running';
  const gate = node.blocked?.find(({ kind }) => kind === 'gate');
  return (
    <Card
      title="Give it back"
      actions={
        <Link to="/releases" search={{ project }} className="text-accent hover:underline">
          All releases
        </Link>
      }
    >
      <Blocks node={node} label="What stands in the way" />
      <div className="grid gap-3 p-3.5">
        {isRunning ? (
          <div role="status" className="grid gap-1.5">
            <p className="font-medium">It is being released, as {release.caller} asked.</p>
            <ReleaseProgress release={release} />
          </div>
        ) : (
          <>
            {release?.state === 'failed' && (
              <div className="grid gap-1.5">
                <p className="font-medium">
                  The last release failed <Ago at={release.ended_at ?? release.started_at} />. What it did stays done.
                </p>
                <ReleaseProgress release={release} />
              </div>
            )}
            <Plan node={node} project={project} />
            <div>
              <Ask
                label="Release"
                look="danger"
                unless={gate === undefined ? null : sentenceOf(gate)}
                title={`Release ${node.name}?`}
                verb={`Release ${node.name}`}
                command={commandOf('release', node.name)}
                run={async () => {
                  await corral.projectReleaseNodes({ project, nodes: [node.name] });
                  void query.refetch();
                }}
              >
                The service detaches its networks, disables OBM and takes {node.name} out of project {project}.{' '}
                <AfterRelease count={1} />
              </Ask>
            </div>
          </>
        )}
      </div>
    </Card>
  );
};

/** What a release of the node would do, in its order. */
const Plan = ({ node, project }: OneNode & { readonly project: string }) => (
  <ol aria-label="What a release does" className="grid list-inside list-decimal gap-0.5 text-dim">
    {node.nics.flatMap(({ label, networks }) =>
      Object.values(networks).map((network) => (
        <li key={`${label} ${network}`} className="wrap-anywhere">
          detach {label} from {network}
        </li>
      )),
    )}
    {node.obm_enabled === true && <li>disable OBM</li>}
    <li className="wrap-anywhere">take it out of project {project}</li>
  </ol>
);

/** A free node is anybody's who has a project. */
export const Reserve = ({ node }: OneNode) => {
  const { name } = node;
  const [first] = node.blocked ?? [];
  const projects = useProjects();
  const [wished, setWished] = useState('');
  const project = projects.includes(wished) ? wished : onlyOne(projects);
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
