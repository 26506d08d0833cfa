import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { NodeOverview } from '../api/client.ts';
import { cleaningsOf } from '../api/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Quarantine, RetryCleaning } from '../ui/cleaning-actions.tsx';
import { cleaningTones, cleaningWords } from '../ui/cleaning-state.ts';
import { Loaded } from '../ui/loaded.tsx';
import { sentenceOf } from '../ui/states.tsx';

interface OneNode {
  readonly node: NodeOverview;
}

/** For administrators: what keeps a node between two projects, and a way to keep it. */
export const NodeGate = ({ node }: OneNode) => {
  const isKept = node.blocked?.some(({ kind }) => kind === 'gate') ?? false;
  if (isKept) return <KeptNode node={node} />;
  if (node.project !== null) return null;
  return (
    <Card title="Out of service">
      <div className="grid gap-3 p-3.5">
        <p className="text-dim">A machine with a fault can be kept from its next project.</p>
        <div>
          <Quarantine node={node.name} />
        </div>
      </div>
    </Card>
  );
};

const KeptNode = ({ node: { name } }: OneNode) => (
  <Card
    title="Between two projects"
    actions={
      <Link to="/cleaning" search={{ node: name }} className="text-accent hover:underline">
        Steps and evidence
      </Link>
    }
  >
    <Loaded query={useQuery(cleaningsOf(name))} rows={2}>
      {([newest]) =>
        newest !== undefined && (
          <div className="grid gap-3 p-3.5">
            <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
              <Badge tone={cleaningTones[newest.state]}>{cleaningWords[newest.state]}</Badge>
              {newest.step !== null && <span className="text-dim">step {newest.step}</span>}
            </p>
            {newest.reason !== null && <p className="wrap-anywhere">{sentenceOf({ message: newest.reason })}</p>}
            <div className="flex flex-wrap gap-2">
              {newest.state === 'failed' ? (
                <RetryCleaning cleaning={newest.cleaning} node={name} />
              ) : (
                newest.state !== 'passed' && <Quarantine node={name} />
              )}
            </div>
          </div>
        )
      }
    </Loaded>
  </Card>
);
