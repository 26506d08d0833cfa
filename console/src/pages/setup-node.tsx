import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { allNodes, bmcTypes } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { buttonLook } from '../ui/button-look.ts';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import type { DeviceSchema } from '../ui/device-schema.ts';
import { TextField } from '../ui/field.tsx';
import { noPlace } from '../ui/free-port.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { ownerOfMac } from '../ui/mac-address.ts';
import { nameMistake } from '../ui/name-rule.ts';
import { noRefusals, type Refusals, refusalsOf } from '../ui/refusals.ts';
import { useAction } from '../ui/use-action.ts';
import { Draft, useDraft } from '../ui/use-draft.ts';
import { lackOf, type NicDraft, type NodeDraft, planOf, twinOf, withoutSecrets } from './node-plan.ts';
import { BmcFields, ObmdFields } from './setup-node-bmc.tsx';
import { NicFields } from './setup-node-nics.tsx';
import { SetUpForm } from './setup-frame.tsx';

/** Registers a node with its nics, what they are plugged into, and its BMC. */
export const SetUpNodePage = () => (
  <SetUpForm title="Register a node">
    <Types />
  </SetUpForm>
);

const Types = () => {
  const [round, setRound] = useState(0);
  return (
    <Loaded query={useQuery(bmcTypes)}>
      {({ inside, types }) => (
        <RegisterNode
          key={round}
          isInside={inside}
          schemas={Object.fromEntries(
            Object.entries(types).map(([type, { fields }]) => [type, fields as DeviceSchema]),
          )}
          onAnother={() => setRound(round + 1)}
        />
      )}
    </Loaded>
  );
};

interface RegisterNodeProps {
  /** An OBM daemon runs inside the service. */
  readonly isInside: boolean;
  readonly schemas: Readonly<Record<string, DeviceSchema>>;
  readonly onAnother: () => void;
}

const nodeDraft = new Draft<NodeDraft>();
/** Which parts of it are registered already. */
const madeParts = new Draft<ReadonlySet<string>>();
const nothingMade: ReadonlySet<string> = new Set();

const forget = (): void => {
  nodeDraft.forget();
  madeParts.forget();
};

const firstNic: NicDraft = { id: 0, label: 'eth0', macaddr: '', place: noPlace };
const elsewhere = { uri: '', admin_token: '' };
const empty: NodeDraft = { name: '', obmd: null, nics: [firstNic], bmc: { type: '', values: {}, fields: [] } };

const RegisterNode = ({ isInside, schemas, onAnother }: RegisterNodeProps) => {
  const queries = useQueryClient();
  const [draft, setDraft] = useDraft(nodeDraft, isInside ? empty : { ...empty, obmd: elsewhere }, withoutSecrets);
  const [made, setMade] = useDraft(madeParts, nothingMade, (parts) => parts);
  const [failed, setFailed] = useState<string | null>(null);
  const plan = planOf(draft);
  // What is registered of this one is no other's.
  const others = (useQuery(allNodes).data?.nodes ?? []).filter(({ name }) => name !== draft.name || !made.has('node'));
  /** Which nic has the address of one that is not registered yet. */
  const takenBy = (nic: NicDraft): string | null =>
    made.has(`nic ${nic.id}`) ? null : (ownerOfMac(nic.macaddr, others) ?? twinOf(nic, draft.nics));
  const lack = lackOf(draft) ?? draft.nics.map(takenBy).find((owner) => owner !== null) ?? null;
  const register = useAction({
    mutationFn: async () => {
      const done = new Set(made);
      for (const step of plan) {
        if (done.has(step.at)) continue;
        setFailed(step.at);
        await step.run();
        done.add(step.at);
        setMade(new Set(done));
      }
      setFailed(null);
      forget();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['nodes'] }),
  });
  const change = (next: Partial<NodeDraft>): void => {
    register.forget();
    setDraft({ ...draft, ...next });
  };
  const refusalsAt = (at: string, fields: readonly string[], usual: string): Refusals =>
    failed === at ? refusalsOf(register.error, fields, () => usual) : noRefusals;
  const ofNode = refusalsAt('node', ['node', 'uri', 'admin_token', 'obmd'], 'node');
  if (register.isSuccess) return <Registered name={draft.name} onAnother={onAnother} />;
  const isMade = made.has('node');
  return (
    <form
      noValidate
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (lack === null) register.start();
      }}
    >
      <Card title="The node">
        <div className="grid gap-3 p-3.5">
          <TextField
            label="Name"
            need="required"
            about={
              isMade ? 'It is registered; what is left is done when you press the button again.' : 'Such as node-01.'
            }
            autoFocus
            autoComplete="off"
            readOnly={isMade}
            value={draft.name}
            error={ofNode.of('node')}
            mistake={isMade ? null : nameMistake('node', draft.name)}
            onChange={(event) => change({ name: event.target.value })}
          />
          <ObmdFields
            isInside={isInside}
            isOff={isMade}
            value={draft.obmd}
            refusals={ofNode}
            onChange={(obmd) => change({ obmd })}
          />
        </div>
      </Card>
      <NicFields
        nics={draft.nics}
        made={made}
        takenBy={takenBy}
        refusalsOf={(id) => ({
          nic: refusalsAt(`nic ${id}`, ['nic', 'macaddr'], 'nic'),
          port: refusalsAt(`port ${id}`, ['port'], 'port').of('port'),
        })}
        onChange={(nics) => change({ nics })}
      />
      <BmcFields
        schemas={schemas}
        value={draft.bmc}
        error={failed === 'bmc' ? register.error : null}
        onChange={(bmc) => change({ bmc })}
      />
      <div className="flex min-w-0">
        <Command text={plan.map(({ command }) => command).join(' && ')} />
      </div>
      {register.isPending && (
        <p role="status" className="text-dim">
          Registering {plan.find(({ at }) => at === failed)?.what}…
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        {draft.name !== '' && (
          <Button
            look="quiet"
            unless={register.isPending ? 'It is being registered' : null}
            onClick={() => {
              forget();
              onAnother();
            }}
          >
            Start over
          </Button>
        )}
        <Button type="submit" look="primary" unless={lack} isBusy={register.isPending}>
          {made.size > 0 && !register.isPending ? 'Go on' : 'Register node'}
        </Button>
      </div>
    </form>
  );
};

const Registered = ({ name, onAnother }: { readonly name: string; readonly onAnother: () => void }) => (
  <Card title={<>Node {name} is registered</>}>
    <div className="grid gap-3 p-3.5">
      <p role="status">
        Projects can reserve it once the ports of its nics were read and carry nothing: the page of {name} says if one
        does.
      </p>
      <div className="flex flex-wrap gap-2">
        <Link to="/nodes/$node" params={{ node: name }} className={buttonLook('primary')}>
          Look at {name}
        </Link>
        <Button onClick={onAnother}>Register another node</Button>
        <Link to="/setup" className={buttonLook('plain')}>
          Back to the set-up
        </Link>
      </div>
    </div>
  </Card>
);
