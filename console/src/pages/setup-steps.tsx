import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Circle, CircleCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { signInMethods } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { type ButtonLook, buttonLook } from '../ui/button-look.ts';
import { Card } from '../ui/card.tsx';
import { CreateNetwork } from './networks-create.tsx';
import { ProjectDialogs } from './projects-dialogs.tsx';
import { CreateUser } from './users-create.tsx';
import { type SetUpStep, type StepName, useSetUp } from './use-set-up.ts';

const texts: Readonly<Record<StepName, { readonly title: string; readonly about: string }>> = {
  switch: { title: 'Add a switch', about: 'Where it listens, and the login with which Corral sets its ports.' },
  ports: { title: 'Add its ports', about: 'Those that machines are plugged into. Corral leaves all others alone.' },
  node: { title: 'Register a node', about: 'A machine: its nics, the port that each is plugged into, and its BMC.' },
  project: { title: 'Create a project with a member', about: 'Projects reserve nodes; their members act for them.' },
  network: { title: 'Create a network', about: 'A VLAN from the pool, for a project or for everybody.' },
  reserve: { title: 'Reserve a node', about: 'Then its project connects it to networks and turns it on.' },
};

/** What to do, in this order, with what is done already ticked. */
export const SetUpSteps = () => {
  const { steps, firstSwitch } = useSetUp();
  const next = steps.find(({ isDone }) => isDone === false)?.name;
  const done = steps.filter(({ isDone }) => isDone === true).length;
  return (
    <Card
      title="From an empty service to a reserved node"
      actions={
        <span className="text-dim" role="status">
          {done} of {steps.length} done
        </span>
      }
    >
      <ol aria-label="Steps">
        {steps.map((step) => (
          <Step key={step.name} step={step} isNext={step.name === next}>
            <StepAction
              name={step.name}
              look={step.name === next ? 'primary' : 'plain'}
              firstSwitch={firstSwitch}
              steps={steps}
            />
          </Step>
        ))}
      </ol>
    </Card>
  );
};

const Step = ({
  step: { name, isDone = false, has },
  isNext,
  children,
}: {
  readonly step: SetUpStep;
  readonly isNext: boolean;
  readonly children: ReactNode;
}) => (
  <li
    aria-label={texts[name].title}
    aria-current={isNext ? 'step' : undefined}
    className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-3.5 py-3 last:border-b-0"
  >
    {isDone ? (
      <CircleCheck size={18} role="img" aria-label="done" className="shrink-0 text-ok" />
    ) : (
      <Circle size={18} role="img" aria-label="to do" className="shrink-0 text-line-strong" />
    )}
    <div className="min-w-48 flex-1">
      <p className="font-medium">
        {texts[name].title} <span className="font-normal text-dim">· {has}</span>
      </p>
      <p className="text-dim">{texts[name].about}</p>
    </div>
    <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:pl-7.5">{children}</div>
  </li>
);

interface StepActionProps {
  readonly name: StepName;
  readonly look: ButtonLook;
  readonly firstSwitch: string | undefined;
  readonly steps: readonly SetUpStep[];
}

const StepAction = ({ name, look, firstSwitch, steps }: StepActionProps) => {
  const lacks = (other: StepName): boolean => steps.find((step) => step.name === other)?.isDone !== true;
  switch (name) {
    case 'switch':
      return (
        <Link to="/setup/switch" className={buttonLook(look)}>
          Add a switch…
        </Link>
      );
    case 'ports':
      return firstSwitch === undefined ? (
        <Button unless="Ports belong to a switch: add one first">Add ports…</Button>
      ) : (
        <Link to="/setup/ports" search={{ switch: firstSwitch }} className={buttonLook(look)}>
          Add ports…
        </Link>
      );
    case 'node':
      return (
        <Link to="/setup/node" className={buttonLook(look)}>
          Register a node…
        </Link>
      );
    case 'project':
      return <ProjectButtons look={look} />;
    case 'network':
      return <NetworkButton look={look} />;
    case 'reserve':
      return lacks('node') || lacks('project') ? (
        <Button unless="It takes a node, and a project that gets it">Choose a node</Button>
      ) : (
        <Link to="/nodes" search={{ show: 'free' }} className={buttonLook(look)}>
          Choose a node
        </Link>
      );
  }
};

const ProjectButtons = ({ look }: { readonly look: ButtonLook }) => {
  const [asked, setAsked] = useState<'project' | 'user' | null>(null);
  const hasUsers = useQuery(signInMethods).data?.basic ?? false;
  const close = (): void => setAsked(null);
  return (
    <>
      <Button look={look} onClick={() => setAsked('project')}>
        Create a project…
      </Button>
      {hasUsers && <Button onClick={() => setAsked('user')}>Create a user…</Button>}
      {asked === 'project' && <ProjectDialogs asked={{ what: 'create' }} onClose={close} />}
      {asked === 'user' && <CreateUser onClose={close} />}
    </>
  );
};

const NetworkButton = ({ look }: { readonly look: ButtonLook }) => {
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  return (
    <>
      <Button look={look} onClick={() => setAsking(true)}>
        Create a network…
      </Button>
      {isAsking && <CreateNetwork onClose={close} onCreated={close} />}
    </>
  );
};
