import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { me, signInMethods } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { sentenceOf } from '../ui/states.tsx';

/** The ways to sign in that this service has. */
export const SignInForm = ({ onSignedIn, to = '/' }: { readonly onSignedIn: () => void; readonly to?: string }) => (
  <Loaded query={useQuery(signInMethods)} rows={3}>
    {({ basic, oidc, keystone }) => (
      <div className="grid gap-4">
        {basic && <PasswordForm onSignedIn={onSignedIn} />}
        {oidc?.browser === true && (
          <a
            href={`/auth/oidc/login?return_to=${encodeURIComponent(to)}`}
            className="inline-flex h-8 items-center justify-center rounded-control border border-line font-medium hover:bg-sunken"
          >
            Sign in at {new URL(oidc.issuer).host}
          </a>
        )}
        {keystone !== null && !basic && oidc?.browser !== true && (
          <p className="text-dim">
            This service takes tokens of Keystone at <code className="font-mono">{keystone.url}</code>, which browsers
            cannot get. Use the command line: <code className="font-mono">corral login</code>.
          </p>
        )}
      </div>
    )}
  </Loaded>
);

const PasswordForm = ({ onSignedIn }: { readonly onSignedIn: () => void }) => {
  const queries = useQueryClient();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => corral.sessionOpen({ username, password }),
    onSuccess: (who) => {
      setPassword('');
      queries.setQueryData(me.queryKey, who);
      onSignedIn();
    },
  });
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <TextField
        label="User"
        name="username"
        autoComplete="username"
        autoFocus
        required
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={signIn.error && sentenceOf(signIn.error)}
      />
      <Button type="submit" look="primary" isBusy={signIn.isPending} className="justify-center">
        Sign in
      </Button>
    </form>
  );
};
