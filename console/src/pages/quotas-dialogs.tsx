import { type ReactNode, useState } from 'react';
import { corral, type Quota } from '../api/client.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { limitedWords, quotaArguments, quotaCommand, type QuotaName } from '../ui/quota-words.ts';

/** What was asked for: a limit of a project (null: of all) on something to choose, on what is known, or none any more. */
export type AskedOfQuotas =
  | { readonly what: 'add'; readonly project: string | null }
  | { readonly what: 'set' | 'change'; readonly quota: Quota }
  | { readonly what: 'remove'; readonly quota: Quota };

interface Asked {
  readonly onClose: () => void;
}

export const QuotaDialogs = ({ asked, onClose }: Asked & { readonly asked: AskedOfQuotas }) => {
  if (asked.what === 'add') return <AddQuota project={asked.project} onClose={onClose} />;
  if (asked.what === 'remove') return <RemoveQuota quota={asked.quota} onClose={onClose} />;
  return <KnownQuota quota={asked.quota} isNew={asked.what === 'set'} onClose={onClose} />;
};

const ofWhom = (project: string | null): string =>
  project === null ? 'every project without a limit of its own' : `project ${project}`;

const kinds = {
  nodes: 'Nodes, all together',
  class: 'Nodes of a class',
  networks: 'Networks',
  headnodes: 'Headnodes',
} as const;
type Kind = keyof typeof kinds;
const kindNames: readonly Kind[] = ['nodes', 'class', 'networks', 'headnodes'];

const isAboutClass = (refusal: string | null): boolean => refusal?.includes('"class"') ?? false;

const AddQuota = ({ project, onClose }: Asked & { readonly project: string | null }) => {
  const [kind, setKind] = useState<Kind>('nodes');
  const [nodeClass, setNodeClass] = useState('');
  const name: QuotaName = {
    project,
    what: kind === 'class' ? 'nodes' : kind,
    class: kind === 'class' ? nodeClass || 'CLASS' : null,
  };
  return (
    <LimitDialog
      title={project === null ? 'Set a default' : `Set a limit of ${project}`}
      quota={{ ...name, limit: null }}
      isNew
      unless={kind === 'class' && nodeClass === '' ? 'Name the class first' : null}
      onClose={onClose}
    >
      {(refusal) => (
        <>
          <SelectField
            label="What"
            autoFocus
            value={kind}
            onChange={({ target }) => setKind(kindNames.find((each) => each === target.value) ?? 'nodes')}
          >
            {kindNames.map((each) => (
              <option key={each} value={each}>
                {kinds[each]}
              </option>
            ))}
          </SelectField>
          {kind === 'class' && (
            <TextField
              label="Class"
              about="As the metadata of nodes says it."
              autoComplete="off"
              required
              value={nodeClass}
              error={isAboutClass(refusal) ? refusal : null}
              onChange={(event) => setNodeClass(event.target.value)}
            />
          )}
        </>
      )}
    </LimitDialog>
  );
};

const KnownQuota = ({ quota, isNew, onClose }: Asked & { readonly quota: Quota; readonly isNew: boolean }) => (
  <LimitDialog
    title={`Limit ${limitedWords(quota)} of ${quota.project ?? 'projects without a limit of their own'}`}
    quota={quota}
    isNew={isNew}
    unless={null}
    onClose={onClose}
  >
    {() => null}
  </LimitDialog>
);

const LimitDialog = ({
  title,
  quota,
  isNew,
  unless,
  onClose,
  children,
}: Asked & {
  readonly title: string;
  readonly quota: Quota;
  /** It has no limit of its own yet. */
  readonly isNew: boolean;
  readonly unless: string | null;
  /** Fields before the limit. */
  readonly children: (refusal: string | null) => ReactNode;
}) => {
  const [text, setText] = useState(quota.limit === null ? '' : String(quota.limit));
  const [isAny, setAny] = useState(quota.limit === null && !isNew);
  const limit = isAny ? 'none' : text;
  const mistake = isAny || /^\d{1,7}$/.test(text) ? null : 'Give a whole number, such as 4';
  return (
    <ActionDialog
      title={title}
      label="Set limit"
      unless={unless ?? mistake}
      command={quotaCommand('set', quota, limit || 'LIMIT')}
      run={() => corral.quotaSet({ ...quotaArguments(quota), limit: isAny ? null : Number(text) })}
      stale={['quotas']}
      onClose={onClose}
    >
      {(refusal) => (
        <>
          {children(refusal)}
          {!isAny && (
            <TextField
              label="At most"
              about="A limit below what is used takes nothing away: it only keeps from getting more."
              type="number"
              min={0}
              max={1_000_000}
              required
              value={text}
              error={isAboutClass(refusal) ? null : refusal}
              mistake={text === '' ? null : mistake}
              onChange={(event) => setText(event.target.value)}
            />
          )}
          {quota.project !== null && (
            <CheckField
              label="Any number, also if there is a default"
              checked={isAny}
              error={isAny && !isAboutClass(refusal) ? refusal : null}
              onChange={(event) => setAny(event.target.checked)}
            />
          )}
        </>
      )}
    </ActionDialog>
  );
};

const RemoveQuota = ({ quota, onClose }: Asked & { readonly quota: Quota }) => (
  <ActionDialog
    title={`Remove the limit of ${limitedWords(quota)}`}
    label="Remove limit"
    look="danger"
    command={quotaCommand('delete', quota)}
    run={() => corral.quotaDelete(quotaArguments(quota))}
    stale={['quotas']}
    onClose={onClose}
  >
    <p>
      The limit of {limitedWords(quota)} for <b>{ofWhom(quota.project)}</b> is gone.{' '}
      {quota.project === null
        ? 'These may have as many as there are.'
        : 'The default holds for the project from then on, if there is one.'}
    </p>
  </ActionDialog>
);
