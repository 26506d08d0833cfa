import { useState } from 'react';
import { corral } from '../api/client.ts';
import { ActionDialog } from './action-dialog.tsx';
import { Ask } from './ask.tsx';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { commandOf } from './shell-word.ts';

/** The service takes no longer reasons. */
const longestReason = 1_000;

const stale = ['cleanings', 'nodes', 'node'] as const;

/** Takes a node that is in no project, or is being cleaned, out of service. */
export const Quarantine = ({ node }: { readonly node: string }) => {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Quarantine…</Button>
      {isAsking && <QuarantineDialog node={node} onClose={() => setAsking(false)} />}
    </>
  );
};

const QuarantineDialog = ({ node, onClose }: { readonly node: string; readonly onClose: () => void }) => {
  const [reason, setReason] = useState('');
  return (
    <ActionDialog
      title={`Quarantine ${node}`}
      label={`Quarantine ${node}`}
      look="danger"
      unless={reason.trim() === '' ? 'Say why' : null}
      command={commandOf('node', 'quarantine', node, reason || 'REASON')}
      run={() => corral.nodeQuarantine({ node, reason: reason.trim() })}
      stale={stale}
      onClose={onClose}
    >
      {(refusal) => (
        <>
          <p className="text-dim">
            Nobody can reserve {node} until it is cleaned again, which an administrator has to ask for.
          </p>
          <ReasonField
            value={reason}
            about="Administrators read it on the page of the node."
            refusal={refusal}
            onChange={setReason}
          />
        </>
      )}
    </ActionDialog>
  );
};

/** Leaves out a step of a cleaning. */
export const SkipStep = ({ cleaning, step }: { readonly cleaning: string; readonly step: string }) => {
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  return (
    <>
      <Button className="h-7!" aria-label={`Skip ${step}…`} onClick={() => setAsking(true)}>
        Skip…
      </Button>
      {isAsking && (
        <ActionDialog
          title={`Skip step ${step}`}
          label={`Skip ${step}`}
          look="danger"
          unless={reason.trim() === '' ? 'Say why' : null}
          command={commandOf('cleaning', 'skip', cleaning, step, reason || 'REASON')}
          run={() => corral.cleaningSkip({ cleaning, step, reason: reason.trim() })}
          stale={stale}
          onClose={() => setAsking(false)}
        >
          {(refusal) => (
            <>
              <p className="text-dim">
                The next project gets the machine without this step. A quarantined node is cleaned again when you ask
                for it.
              </p>
              <ReasonField
                value={reason}
                about="It is recorded with your name."
                refusal={refusal}
                onChange={setReason}
              />
            </>
          )}
        </ActionDialog>
      )}
    </>
  );
};

const ReasonField = ({
  value,
  about,
  refusal,
  onChange,
}: {
  readonly value: string;
  readonly about: string;
  readonly refusal: string | null;
  readonly onChange: (reason: string) => void;
}) => (
  <TextField
    label="Reason"
    need="required"
    about={about}
    error={refusal}
    maxLength={longestReason}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
);

/** Cleans a quarantined node again. */
export const RetryCleaning = ({ cleaning, node }: { readonly cleaning: string; readonly node: string }) => (
  <Ask
    label="Clean it again"
    look="primary"
    title={`Clean ${node} again`}
    verb={`Clean ${node} again`}
    command={commandOf('cleaning', 'retry', cleaning)}
    run={() => corral.cleaningRetry({ cleaning })}
  >
    All steps are done again, from the first one on, by the current settings; what was skipped stays so. Then {node} is
    free.
  </Ask>
);
