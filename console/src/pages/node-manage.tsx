import { useState } from 'react';
import { corral, type NodeOverview } from '../api/client.ts';
import { useProjects } from '../api/use-projects.ts';
import { onlyOne } from '../ui/choice-field.tsx';
import { Ask } from '../ui/ask.tsx';
import { Card } from '../ui/card.tsx';
import { ProjectField } from '../ui/project-field.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import { Blocks } from './node-blocks.tsx';

interface OneNode {
  readonly node: NodeOverview;
}

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
