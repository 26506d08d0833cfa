import { Trash2 } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { TextField } from '../ui/field.tsx';
import { FreePort, noPlace } from '../ui/free-port.tsx';
import { macMistake } from '../ui/mac-address.ts';
import { nameMistake } from '../ui/name-rule.ts';
import type { Refusals } from '../ui/refusals.ts';
import type { NicDraft } from './node-plan.ts';

interface NicFieldsProps {
  readonly nics: readonly NicDraft[];
  /** Parts of the form that are registered already. */
  readonly made: ReadonlySet<string>;
  /** Which other nic has the address of this one. */
  readonly takenBy: (nic: NicDraft) => string | null;
  readonly refusalsOf: (id: number) => { readonly nic: Refusals; readonly port: string | null };
  readonly onChange: (nics: readonly NicDraft[]) => void;
}

/** The nics of a new node, and what each is plugged into. */
export const NicFields = ({ nics, made, takenBy, refusalsOf, onChange }: NicFieldsProps) => {
  const change = (id: number, next: Partial<NicDraft>): void =>
    onChange(nics.map((nic) => (nic.id === id ? { ...nic, ...next } : nic)));
  const add = (): void => {
    const id = Math.max(-1, ...nics.map((nic) => nic.id)) + 1;
    onChange([...nics, { id, label: `eth${id}`, macaddr: '', place: noPlace }]);
  };
  return (
    <Card title="Nics" actions={<Button onClick={add}>Add a nic</Button>}>
      {nics.length === 0 ? (
        <p className="p-3.5 text-dim">Without nics it is on no network. They can be added later, too.</p>
      ) : (
        <ul>
          {nics.map((nic) => (
            <li key={nic.id} className="border-b border-line p-3.5 last:border-b-0">
              <OneNic
                nic={nic}
                isMade={made.has(`nic ${nic.id}`)}
                isPlugged={made.has(`port ${nic.id}`)}
                taken={nics.filter((other) => other.id !== nic.id).map(({ place }) => place)}
                owner={takenBy(nic)}
                refusals={refusalsOf(nic.id)}
                onChange={(next) => change(nic.id, next)}
                onRemove={() => onChange(nics.filter(({ id }) => id !== nic.id))}
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};

const OneNic = ({
  nic,
  isMade,
  isPlugged,
  taken,
  owner,
  refusals,
  onChange,
  onRemove,
}: {
  readonly nic: NicDraft;
  readonly isMade: boolean;
  readonly isPlugged: boolean;
  readonly taken: readonly NicDraft['place'][];
  readonly owner: string | null;
  readonly refusals: ReturnType<NicFieldsProps['refusalsOf']>;
  readonly onChange: (next: Partial<NicDraft>) => void;
  readonly onRemove: () => void;
}) => (
  <fieldset className="grid gap-1">
    <legend className="sr-only">Nic {nic.label}</legend>
    <div className="grid items-start gap-x-3 gap-y-1 sm:grid-cols-[1fr_1fr_auto]">
      <TextField
        label="Nic"
        autoComplete="off"
        readOnly={isMade}
        value={nic.label}
        error={refusals.nic.of('nic')}
        mistake={nameMistake('nic', nic.label)}
        onChange={(event) => onChange({ label: event.target.value })}
      />
      <TextField
        label="MAC address"
        placeholder="52:54:00:00:01:00"
        autoComplete="off"
        spellCheck={false}
        readOnly={isMade}
        value={nic.macaddr}
        error={refusals.nic.of('macaddr') ?? owner}
        mistake={macMistake(nic.macaddr)}
        onChange={(event) => onChange({ macaddr: event.target.value })}
      />
      <Button
        look="quiet"
        className="sm:mt-6"
        aria-label={`Remove ${nic.label || 'the nic'} from the form`}
        unless={isMade ? 'It is registered already; delete it on the page of the node' : null}
        onClick={onRemove}
      >
        <Trash2 size={15} aria-hidden />
      </Button>
    </div>
    <FreePort
      value={nic.place}
      taken={taken}
      isOff={isPlugged}
      error={refusals.port}
      onChange={(place) => onChange({ place })}
    />
  </fieldset>
);
