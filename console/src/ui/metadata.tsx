import { useMutation } from '@tanstack/react-query';
import { Pencil, X } from 'lucide-react';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { Ask } from './ask.tsx';
import { Button } from './button.tsx';
import { Card } from './card.tsx';
import { Command } from './command.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { naturalOrder } from './natural-order.ts';
import { metadataText } from './node-state.ts';
import { commandOf } from './shell-word.ts';
import { Empty, sentenceOf } from './states.tsx';

interface MetadataProps {
  readonly node: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly mayChange: boolean;
}

/** Which label is changed, or that one is added. */
type Editing = { readonly label: string; readonly value: string } | 'new' | null;

const iconLook = { look: 'quiet', className: 'h-7! px-1.5! text-dim' } as const;

/** What is noted about a node; administrators note it. */
export const Metadata = ({ node, metadata, mayChange }: MetadataProps) => {
  const [editing, setEditing] = useState<Editing>(null);
  const entries = Object.entries(metadata).sort(([a], [b]) => naturalOrder(a, b));
  const close = (): void => setEditing(null);
  return (
    <Card title="Metadata" actions={mayChange && <Button onClick={() => setEditing('new')}>Add</Button>}>
      {entries.length === 0 ? (
        <Empty title="Nothing is noted about it" />
      ) : (
        <dl aria-label="Metadata">
          {entries.map(([label, value]) => (
            <div
              key={label}
              className="flex min-h-9 items-center gap-2 border-b border-line px-3.5 py-1 last:border-b-0"
            >
              <dt className="w-28 shrink-0 text-dim wrap-anywhere">{label}</dt>
              <dd className="min-w-0 flex-1 font-mono text-fine wrap-anywhere">{metadataText(value)}</dd>
              {mayChange && (
                <dd className="flex shrink-0">
                  <Button
                    {...iconLook}
                    aria-label={`Change ${label}`}
                    onClick={() => setEditing({ label, value: metadataText(value) })}
                  >
                    <Pencil size={13} aria-hidden />
                  </Button>
                  <Ask
                    {...iconLook}
                    aria-label={`Delete ${label}`}
                    label={<X size={13} aria-hidden />}
                    title={`Delete ${label} of ${node}?`}
                    verb={`Delete ${label}`}
                    command={commandOf('node', 'metadata', 'delete', node, label)}
                    run={() => corral.nodeDeleteMetadata({ node, label })}
                  >
                    Its value is gone then: {metadataText(value)}
                  </Ask>
                </dd>
              )}
            </div>
          ))}
        </dl>
      )}
      <Dialog
        title={editing === 'new' ? `Add metadata to ${node}` : `Change ${editing?.label ?? ''} of ${node}`}
        isOpen={editing !== null}
        onClose={close}
      >
        <MetadataForm node={node} editing={editing} onDone={close} />
      </Dialog>
    </Card>
  );
};

/** As the command reads it: JSON as such, anything else as text. */
const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

const MetadataForm = ({
  node,
  editing,
  onDone,
}: {
  readonly node: string;
  readonly editing: Editing;
  readonly onDone: () => void;
}) => {
  const known = editing === 'new' || editing === null ? null : editing;
  const [label, setLabel] = useState(known?.label ?? '');
  const [value, setValue] = useState(known?.value ?? '');
  const work = useMutation({
    mutationFn: () => corral.nodeSetMetadata({ node, label, value: valueOf(value) }),
    onSuccess: onDone,
  });
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!work.isPending) work.mutate();
      }}
    >
      {known === null && (
        <TextField label="Label" required value={label} onChange={({ target }) => setLabel(target.value)} />
      )}
      <TextField
        label="Value"
        about="JSON is stored as such, anything else as text."
        value={value}
        error={work.error === null ? null : sentenceOf(work.error)}
        onChange={({ target }) => setValue(target.value)}
      />
      <Command text={commandOf('node', 'metadata', 'add', node, label || 'LABEL', value || 'VALUE')} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={work.isPending}>
          {known === null ? 'Add' : `Change ${known.label}`}
        </Button>
      </div>
    </form>
  );
};
