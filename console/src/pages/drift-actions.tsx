import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Carried, isNothing } from '../ui/carried.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { OutcomeList, useOutcomes } from '../ui/outcomes.tsx';
import { commandOf } from '../ui/shell-word.ts';
import type { DriftRow } from './drift-row.ts';
import { ChangePolicy } from './switch-policy.tsx';

/** Reads every switch now; one that cannot be read says why. */
export const ReadAll = ({ switches }: { readonly switches: readonly string[] }) => {
  const queries = useQueryClient();
  const { outcomes, isBusy, start } = useOutcomes();
  const read = async (): Promise<void> => {
    await start(switches.map((name) => ({ key: name, run: () => corral.switchSweep({ switch: name }) })));
    for (const key of ['drift', 'switches', 'switch']) void queries.invalidateQueries({ queryKey: [key] });
  };
  const attempted = outcomes.filter(({ state }) => state !== 'waiting').length;
  const failed = outcomes.filter(({ state }) => state === 'refused');
  return (
    <>
      {!isBusy && outcomes.length > 0 && (
        <span role="status" className={failed.length > 0 ? 'text-bad' : 'text-dim'}>
          {outcomes.length - failed.length} of {outcomes.length} switches read just now
          {failed.map(({ why }) => `; ${why ?? ''}`).join('')}
        </span>
      )}
      <Button
        look="primary"
        isBusy={isBusy}
        unless={switches.length === 0 ? 'There are no switches yet' : null}
        title="corral drift --now"
        onClick={() => void read()}
      >
        {isBusy ? `Reading, ${attempted} of ${outcomes.length}…` : 'Read all switches now'}
      </Button>
    </>
  );
};

/** Why a port cannot be put back alone, as the service says it. */
const refusalOf = ({ node, port, switch: on }: DriftRow): string | null =>
  node === null ? `no nic is connected to port ${port} of switch ${on}; repair it instead` : null;

/** A port without a nic has nothing that could be reverted: its switch puts it back with all that drift. */
const Repair = ({ row: { key, port, switch: on, policy } }: { readonly row: DriftRow }) => (
  <ChangePolicy
    name={on}
    policy="report"
    label="Repair…"
    aria-label={`Repair ${key}…`}
    className="h-7!"
    unless={policy === 'repair' ? `switch ${on} repairs drift by itself, as soon as it answers` : null}
  >
    No nic is connected to port {port}, so it cannot be put back alone.{' '}
  </ChangePolicy>
);

const putBack = async ({ switch: on, port }: DriftRow): Promise<void> => {
  const { status_id } = await corral.portRevert({ switch: on, port });
  await corral.waitForAction(status_id, { listens: false });
};

export const PutBackOne = ({ row }: { readonly row: DriftRow }) => {
  const [isAsking, setAsking] = useState(false);
  if (row.node === null) return <Repair row={row} />;
  return (
    <>
      <Button className="h-7!" aria-label={`Put back ${row.key}…`} onClick={() => setAsking(true)}>
        Put back…
      </Button>
      {isAsking && <PutBack rows={[row]} onClose={() => setAsking(false)} />}
    </>
  );
};

/** What can be done with all of the chosen ports. */
export const PutBackAll = ({ rows, onDone }: { readonly rows: readonly DriftRow[]; readonly onDone: () => void }) => {
  // They leave the list one by one while the dialog is open.
  const [asked, setAsked] = useState<readonly DriftRow[] | null>(null);
  return (
    <div className="flex flex-wrap items-center gap-3 border-b border-line bg-accent-soft p-3">
      <span className="font-medium">{rows.length} chosen</span>
      <Button
        look="primary"
        unless={rows.map(refusalOf).find((refusal) => refusal !== null) ?? null}
        onClick={() => setAsked(rows)}
      >
        Put back {rows.length === 1 ? '1 port' : `${rows.length} ports`}…
      </Button>
      <Button look="quiet" onClick={onDone}>
        Choose none
      </Button>
      {asked !== null && (
        <PutBack
          rows={asked}
          onClose={() => {
            setAsked(null);
            onDone();
          }}
        />
      )}
    </div>
  );
};

/** Says what each port loses, takes it away, and says how that went. */
const PutBack = ({ rows, onClose }: { readonly rows: readonly DriftRow[]; readonly onClose: () => void }) => {
  const queries = useQueryClient();
  const { outcomes, isBusy, start } = useOutcomes();
  const losing = rows.filter(({ recorded }) => !isNothing(recorded));
  const begin = async (): Promise<void> => {
    const made = await start(rows.map((row) => ({ key: row.key, run: () => putBack(row) })));
    for (const key of ['drift', 'switches', 'switch']) void queries.invalidateQueries({ queryKey: [key] });
    if (made.every(({ state }) => state === 'done')) onClose();
  };
  const many = rows.length === 1 ? (rows[0]?.key ?? '') : `${rows.length} ports`;
  return (
    <Dialog title={`Put back ${many}`} isOpen onClose={onClose}>
      <div className="grid gap-4">
        <p>
          Everything that {rows.length === 1 ? 'it carries is taken off the port' : 'they carry is taken off the ports'}
          , on the switch and on record.
        </p>
        {outcomes.length > 0 ? (
          <OutcomeList label="Ports" outcomes={outcomes} />
        ) : (
          losing.length > 0 && (
            <div className="grid gap-2">
              <p className="text-warn">
                {losing.length === 1 ? 'This port loses recorded networks' : 'These ports lose recorded networks'},
                which have to be connected again. A switch whose policy is to repair drift puts them back instead:{' '}
                <code className="font-mono">{commandOf('switch', 'policy', losing[0]?.switch ?? '', 'repair')}</code>
              </p>
              <ul aria-label="Ports that lose recorded networks" className="grid gap-2">
                {losing.map(({ key, node, nic, recorded }) => (
                  <li key={key} className="rounded-control border border-line p-2">
                    <span className="font-mono">{key}</span> · {node} {nic}
                    <Carried reading={recorded} />
                  </li>
                ))}
              </ul>
            </div>
          )
        )}
        <Command text={rows.map(({ switch: on, port }) => commandOf('port', 'revert', on, port)).join(' && ')} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{outcomes.length > 0 ? 'Close' : 'Cancel'}</Button>
          <Button look={losing.length > 0 ? 'danger' : 'primary'} isBusy={isBusy} onClick={() => void begin()}>
            Put back {many}
          </Button>
        </div>
      </div>
    </Dialog>
  );
};
