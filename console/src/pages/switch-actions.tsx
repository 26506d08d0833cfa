import { NotFoundError } from '@corral/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { corral } from '../api/client.ts';
import { switchNamed } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import { ChangeSwitch } from './switch-change.tsx';
import { ChangePolicy } from './switch-policy.tsx';
import { DeleteSwitch } from './switch-registration.tsx';

/** What can be done with a switch as a whole: nothing, as long as nobody knows that it exists. */
export const SwitchActions = ({ name }: { readonly name: string }) => {
  const { data: found, error } = useQuery(switchNamed(name));
  if (found === undefined || error instanceof NotFoundError) return null;
  return (
    <>
      <DeleteSwitch found={found} />
      <ChangeSwitch found={found} />
      <ChangePolicy name={found.name} policy={found.policy} />
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
