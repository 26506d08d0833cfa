import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ProjectQuota, Quota } from '../api/client.ts';
import { allQuotas, quotasOf } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { isSameLimited, limitedWords } from '../ui/quota-words.ts';
import { RowMenu } from '../ui/row-menu.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { Empty } from '../ui/states.tsx';
import { UsedOf } from '../ui/used-of.tsx';
import type { AskedOfQuotas } from './quotas-dialogs.tsx';

interface OfProject {
  readonly project: string;
  readonly onAsk: (asked: AskedOfQuotas) => void;
}

/** What one project has of that which it may have. */
export const ProjectQuotas = ({ project, onAsk }: OfProject) => {
  const { admin } = useMe();
  return (
    <Card
      title={`Quotas of ${project}`}
      actions={admin && <Button onClick={() => onAsk({ what: 'add', project })}>Set limit…</Button>}
    >
      <Loaded
        query={useQuery(quotasOf(project))}
        rows={3}
        missing={<Empty title={`There is no project ${project}`}>It may have been deleted.</Empty>}
      >
        {(quotas) => (
          <>
            <QuotaTable project={project} quotas={quotas} onAsk={onAsk} />
            <div className="flex border-t border-line p-3">
              <Command text={commandOf('quota', 'list', project)} />
            </div>
          </>
        )}
      </Loaded>
    </Card>
  );
};

const QuotaTable = ({ project, quotas, onAsk }: OfProject & { readonly quotas: readonly ProjectQuota[] }) => {
  const { admin } = useMe();
  const all = useQuery({ ...allQuotas, enabled: admin }).data;
  const columns = useMemo(() => {
    const own = all?.filter((quota) => quota.project === project);
    return own === undefined ? figures : [...figures, sourceColumn(own), actionsColumn(project, own, onAsk)];
  }, [all, project, onAsk]);
  return (
    <DataTable
      label={`Quotas of ${project}`}
      rows={quotas}
      columns={columns}
      keyOf={limitedWords}
      minWidth={admin ? 520 : 320}
    />
  );
};

const figures: readonly Column<ProjectQuota>[] = [
  {
    name: 'what',
    heading: 'What',
    width: '34%',
    cell: (quota) => (
      <span className="truncate" title={limitedWords(quota)}>
        {limitedWords(quota)}
      </span>
    ),
  },
  { name: 'used', heading: 'Used', cell: ({ used, limit }) => <UsedOf used={used} limit={limit} /> },
];

/** Whether a limit is the project's own. */
const sourceColumn = (own: readonly Quota[]): Column<ProjectQuota> => ({
  name: 'source',
  heading: 'Limit',
  width: '80px',
  cell: (quota) => (
    <span className="text-dim">
      {own.some((each) => isSameLimited(each, quota)) ? 'own' : quota.limit === null ? 'none' : 'default'}
    </span>
  ),
});

const actionsColumn = (
  project: string,
  own: readonly Quota[],
  onAsk: (asked: AskedOfQuotas) => void,
): Column<ProjectQuota> => ({
  name: 'actions',
  heading: 'Actions',
  hidesHeading: true,
  width: '56px',
  cell: ({ what, class: name, limit }) => {
    const quota = { project, what, class: name, limit };
    const isOwn = own.some((each) => isSameLimited(each, quota));
    return (
      <RowMenu
        label={`Actions for ${limitedWords(quota)}`}
        actions={
          isOwn
            ? [
                { label: 'Change limit…', onChoose: () => onAsk({ what: 'change', quota }) },
                { label: 'Remove limit…', isDanger: true, onChoose: () => onAsk({ what: 'remove', quota }) },
              ]
            : [{ label: 'Set limit…', onChoose: () => onAsk({ what: 'set', quota }) }]
        }
      />
    );
  },
});
