import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { corral } from '../api/client.ts';
import { Ask } from '../ui/ask.tsx';
import type { ButtonProps } from '../ui/button.tsx';
import { commandOf } from '../ui/shell-word.ts';

interface ChangePolicyProps extends Pick<ButtonProps, 'aria-label' | 'className' | 'unless'> {
  readonly name: string;
  readonly policy: string;
  readonly label?: string;
  /** Why it is offered here. */
  readonly children?: ReactNode;
}

/** Whether drift is put right without anybody: a policy of the site, so it is asked for first. */
export const ChangePolicy = ({ name, policy, label, children, ...button }: ChangePolicyProps) => {
  const queries = useQueryClient();
  const isRepairing = policy === 'repair';
  const next = isRepairing ? 'report' : 'repair';
  const words = isRepairing ? 'Only report drift' : 'Repair drift by itself';
  return (
    <Ask
      {...button}
      label={label ?? `${words}…`}
      title={isRepairing ? `Only report drift of ${name}?` : `Repair drift of ${name} by itself?`}
      verb={words}
      command={commandOf('switch', 'policy', name, next)}
      run={async () => {
        await corral.switchSetPolicy({ switch: name, policy: next });
        for (const key of ['switch', 'switches', 'drift']) void queries.invalidateQueries({ queryKey: [key] });
      }}
    >
      {children}
      {isRepairing
        ? `A port of ${name} that carries something else than is recorded stays as it is, and is shown as drift, until somebody puts it back.`
        : `Every port of ${name} that carries something else than is recorded is put back as recorded when it is read, also one that somebody changed on purpose.`}
    </Ask>
  );
};
