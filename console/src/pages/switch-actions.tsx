import { NotFoundError } from '@corral/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { corral, type SwitchDetails } from '../api/client.ts';
import { switchNamed } from '../api/queries.ts';
import { Ask } from '../ui/ask.tsx';
import { Button } from '../ui/button.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import { ChangeSwitch } from './switch-change.tsx';
import { DeleteSwitch } from './switch-registration.tsx';

/** What can be done with a switch as a whole: nothing, if it does not exist. */
export const SwitchActions = ({ name }: { readonly name: string }) => {
  const { data: found, error } = useQuery(switchNamed(name));
  if (error instanceof NotFoundError) return null;
  return (
    <>
      {found !== undefined && <DeleteSwitch found={found} />}
      {found !== undefined && <ChangeSwitch found={found} />}
      {found !== undefined && <ChangePolicy found={found} />}
      <ReadNow name={name} label="Read now" />
    </>
  );
};

/** Reads every port of a switch at once, and says why it could not. */
export const ReadNow = ({ name, label }: { readonly name: string; readonly label: string }) => {
  const queries = useQueryClient();
  const sweep = useMutation({
    mutationFn: () => corral.switchSweep({ switch: name }),
    onSettled: () => queries.invalidateQueries({ queryKey: switchNamed(name).queryKey }),
  });
  return (
    <>
      {sweep.error !== null && (
        <span role="alert" className="max-w-96 text-bad">
          {sentenceOf(sweep.error)}
        </span>
      )}
      <Button
        look="primary"
        isBusy={sweep.isPending}
        onClick={() => sweep.mutate()}
        title={commandOf('switch', 'sweep', name)}
      >
        {sweep.isPending ? 'Reading…' : label}
      </Button>
    </>
  );
};

/** Whether drift is put right without anybody: a policy of the site, so it is asked for first. */
const ChangePolicy = ({ found: { name, policy } }: { readonly found: SwitchDetails }) => {
  const queries = useQueryClient();
  const isRepairing = policy === 'repair';
  const next = isRepairing ? 'report' : 'repair';
  const words = isRepairing ? 'Only report drift' : 'Repair drift by itself';
  return (
    <Ask
      label={`${words}…`}
      title={isRepairing ? `Only report drift of ${name}?` : `Repair drift of ${name} by itself?`}
      verb={words}
      command={commandOf('switch', 'policy', name, next)}
      run={async () => {
        await corral.switchSetPolicy({ switch: name, policy: next });
        await queries.invalidateQueries({ queryKey: switchNamed(name).queryKey });
      }}
    >
      {isRepairing
        ? `A port of ${name} that carries something else than is recorded stays as it is, and is shown as drift, until somebody puts it back.`
        : `Every port of ${name} that carries something else than is recorded is put back as recorded when it is read, also one that somebody changed on purpose.`}
    </Ask>
  );
};
