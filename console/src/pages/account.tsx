import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { mySessions, myTokens, signInMethods } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Until } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { Command } from '../ui/command.tsx';
import { Facts } from '../ui/facts.tsx';
import { CheckField, TextField } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { passwordMistake, passwordRule } from '../ui/password-rule.ts';
import { sentenceOf } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { Sessions } from './account-sessions.tsx';
import { Tokens } from './account-tokens.tsx';

/** Who one is here, and everything that acts in one's name. */
export const AccountPage = () => {
  const { name, admin, projects, expires_at } = useMe();
  // Others have their password elsewhere.
  const methods = useQuery(signInMethods).data;
  return (
    <Page title="Account">
      <Card title="You" actions={<Command text={commandOf('whoami')} />}>
        <Facts
          facts={{
            Name: <span className="font-mono">{name}</span>,
            Access: admin ? 'administrator' : 'user',
            Projects: projects.length === 0 ? 'none' : projects.join(', '),
            'This session ends': expires_at === null ? 'when you sign out' : <Until at={expires_at} />,
          }}
        />
      </Card>
      <Tokens />
      <Sessions />
      {methods?.basic === true && <Password name={name} isOnly={methods.oidc === null && methods.keystone === null} />}
    </Page>
  );
};

const Password = ({ name, isOnly }: { readonly name: string; readonly isOnly: boolean }) => {
  const queries = useQueryClient();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [isRevoking, setRevoking] = useState(false);
  const change = useAction({
    mutationFn: () => corral.userSetPassword({ username: name, password, current, revoke_tokens: isRevoking }),
    onSuccess: () => {
      for (const clear of [setCurrent, setPassword, setRepeated]) clear('');
      for (const { queryKey } of [myTokens, mySessions]) void queries.invalidateQueries({ queryKey });
    },
  });
  const refusal = change.error && sentenceOf(change.error);
  const isAboutCurrent = refusal?.includes('"current"') ?? false;
  const differs = repeated !== '' && repeated !== password;
  const unless =
    current === '' || password === '' || repeated === ''
      ? 'Fill in the three fields first'
      : differs
        ? 'The two new passwords differ'
        : passwordMistake(password);
  return (
    <Card title="Password">
      <form
        className="grid gap-3 p-3.5"
        onChange={change.forget}
        onSubmit={(event) => {
          event.preventDefault();
          if (unless === null) change.start();
        }}
      >
        <p className="text-dim">
          A new password ends your sessions in other browsers; this one goes on.
          {!isOnly && ' This is for users of this service: who signs in elsewhere changes the password there.'}
        </p>
        <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
        <div className="grid items-start gap-3 md:grid-cols-3">
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            value={current}
            error={isAboutCurrent ? refusal : null}
            onChange={(event) => setCurrent(event.target.value)}
          />
          <TextField
            label="New password"
            type="password"
            autoComplete="new-password"
            about={passwordRule}
            value={password}
            mistake={passwordMistake(password)}
            error={isAboutCurrent ? null : refusal}
            onChange={(event) => setPassword(event.target.value)}
          />
          <TextField
            label="New password again"
            type="password"
            autoComplete="new-password"
            value={repeated}
            error={differs ? 'It differs from the one before' : null}
            onChange={(event) => setRepeated(event.target.value)}
          />
        </div>
        <CheckField
          label="Also revoke my API tokens"
          checked={isRevoking}
          onChange={(event) => setRevoking(event.target.checked)}
        />
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <Button type="submit" look="primary" unless={unless} isBusy={change.isPending}>
            Change password
          </Button>
          <Command text={commandOf('user', 'password', ...(isRevoking ? ['--revoke-tokens'] : []))} />
          <p role="status" className="w-full text-ok empty:hidden">
            {change.isSuccess && current === '' ? 'Your password is changed; your other sessions have ended.' : ''}
          </p>
        </div>
      </form>
    </Card>
  );
};
