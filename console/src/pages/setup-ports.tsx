import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { corral, type SwitchDetails } from '../api/client.ts';
import { allSwitches, switchNamed } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { buttonLook } from '../ui/button-look.ts';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { SelectField, TextAreaField } from '../ui/field.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { nameMistake } from '../ui/name-rule.ts';
import { OutcomeList, useOutcomes } from '../ui/outcomes.tsx';
import { portsIn } from '../ui/port-ranges.ts';
import { shellWord } from '../ui/shell-word.ts';
import { Empty, sentenceOf } from '../ui/states.tsx';
import { Draft, useDraft } from '../ui/use-draft.ts';
import { SetUpForm } from './setup-frame.tsx';

const route = getRouteApi('/frame/setup/ports');

/** Registers ports of a switch, several at once. */
export const SetUpPortsPage = () => (
  <SetUpForm title="Add ports">
    <ChooseSwitch />
  </SetUpForm>
);

const ChooseSwitch = () => {
  const { switch: wished = '' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Loaded query={useQuery(allSwitches)}>
      {({ switches }) => {
        const chosen = switches.find(({ name }) => name === wished) ?? switches[0];
        if (chosen === undefined)
          return (
            <Card>
              <Empty title="There are no switches yet">
                <Link to="/setup/switch" className="text-accent underline">
                  Add the first one
                </Link>
              </Empty>
            </Card>
          );
        return (
          <Card title="Ports">
            <div className="grid gap-3 p-3.5">
              <SelectField
                label="Switch"
                value={chosen.name}
                onChange={(event) => void navigate({ search: { switch: event.target.value }, replace: true })}
              >
                {switches.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </SelectField>
              <OfSwitch key={chosen.name} name={chosen.name} />
            </div>
          </Card>
        );
      }}
    </Loaded>
  );
};

const OfSwitch = ({ name }: { readonly name: string }) => (
  <Loaded query={useQuery(switchNamed(name))} rows={3}>
    {(found) => <AddPorts on={found} />}
  </Loaded>
);

/** Names of ports as they are typed, and the switch that they are of. */
const noPorts = { on: '', text: '' };
const portsDraft = new Draft<typeof noPorts>();

const AddPorts = ({ on }: { readonly on: SwitchDetails }) => {
  const [typed, setTyped] = useDraft(portsDraft, noPorts, (next) => next);
  const text = typed.on === on.name ? typed.text : '';
  const setText = (next: string): void => setTyped({ on: on.name, text: next });
  const { outcomes, isBusy, start, clear } = useOutcomes();
  const named = portsIn(text);
  const known = new Set(on.port_list.filter(({ registered }) => registered).map(({ port }) => port));
  const all = 'ports' in named ? named.ports : [];
  const wanted = all.filter((port) => !known.has(port));
  const unfit = wanted.find((port) => nameMistake('port', port) !== null);
  const mistake = 'mistake' in named ? named.mistake : unfit === undefined ? null : nameMistake('port', unfit);
  const areAdded = outcomes.length > 0 && outcomes.every(({ state }) => state === 'done');
  const add = async (): Promise<void> => {
    const made = await start(
      wanted.map((port) => ({ key: port, run: () => corral.switchRegisterPort({ switch: on.name, port }) })),
    );
    // What was refused stays in the field, to be mended.
    setText(made.flatMap(({ key, state }) => (state === 'refused' ? [asTyped(key)] : [])).join(', '));
  };
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted.length > 0 && mistake === null && !isBusy) void add();
      }}
    >
      <TextAreaField
        label="Which ports"
        about={`As ${on.name} calls them, with commas or lines between them. 1/1-48 is the 48 ports 1/1 to 1/48.`}
        rows={3}
        value={text}
        error={mistake}
        onChange={(event) => {
          clear();
          setText(event.target.value);
        }}
      />
      {on.ports === 0 && <AskTheSwitch name={on.name} onTold={(ports) => setText(ports.map(asTyped).join(', '))} />}
      {outcomes.length > 0 ? (
        <OutcomeList label="Added ports" outcomes={outcomes} />
      ) : (
        <Preview on={on.name} ports={all} known={known} />
      )}
      <Command text={commandFor(on.name, wanted)} />
      <div className="flex flex-wrap justify-end gap-2">
        {areAdded && (
          <Link to="/setup/node" className={buttonLook('plain')}>
            Register a node
          </Link>
        )}
        <Link to="/switches/$switch" params={{ switch: on.name }} className={buttonLook('plain')}>
          Look at {on.name}
        </Link>
        <Button
          type="submit"
          look="primary"
          isBusy={isBusy}
          unless={mistake ?? (wanted.length === 0 ? 'Name ports that are not registered yet' : null)}
        >
          {wanted.length === 0 ? 'Add ports' : wanted.length === 1 ? 'Add 1 port' : `Add ${wanted.length} ports`}
        </Button>
      </div>
    </form>
  );
};

/** A name that would be taken for several is typed in quotes. */
const asTyped = (port: string): string => (/\d-\d+$/.test(port) ? `"${port}"` : port);

const commandFor = (on: string, ports: readonly string[]): string => {
  const [first] = ports;
  if (first === undefined || ports.length === 1)
    return `corral port register ${shellWord(on)} ${first === undefined ? 'PORT' : shellWord(first)}`;
  return `for port in ${ports.map(shellWord).join(' ')}; do corral port register ${shellWord(on)} "$port"; done`;
};

/** Every port that will be sent, before it is. */
const Preview = ({
  on,
  ports,
  known,
}: {
  readonly on: string;
  readonly ports: readonly string[];
  readonly known: ReadonlySet<string>;
}) => (
  <ul aria-label="Ports to add" className="flex max-h-48 flex-wrap gap-1 overflow-auto">
    {ports.map((port) => (
      <li
        key={port}
        className={`rounded-[4px] px-1.5 font-mono text-fine ${known.has(port) ? 'bg-sunken text-dim line-through' : 'bg-accent-soft'}`}
        title={known.has(port) ? `${on} has it already` : undefined}
      >
        {port}
        {known.has(port) && <span className="sr-only"> is registered already</span>}
      </li>
    ))}
  </ul>
);

/** A switch without registered ports tells which it has. */
const AskTheSwitch = ({
  name,
  onTold,
}: {
  readonly name: string;
  readonly onTold: (ports: readonly string[]) => void;
}) => {
  const asking = useMutation({
    mutationFn: () => corral.switchTest({ switch: name }),
    onSuccess: ({ ports }) => onTold(ports.map(({ port }) => port)),
  });
  const fault = asking.error?.message ?? asking.data?.fault ?? null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button isBusy={asking.isPending} onClick={() => asking.mutate()} title={`corral switch test ${name}`}>
        Ask {name} which it has
      </Button>
      {fault !== null ? (
        <span role="alert" className="text-bad">
          {sentenceOf({ message: fault })}
        </span>
      ) : (
        asking.data?.ports.length === 0 && (
          <span role="status" className="text-dim">
            It names none: type them.
          </span>
        )
      )}
    </div>
  );
};
