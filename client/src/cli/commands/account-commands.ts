import { AuthorizationError, type Corral, NotFoundError, token as tokenCredentials } from '../../index.ts';
import { field, listCommand, simpleCommand } from '../simple-command.ts';
import type { Command } from '../cli-command.ts';
import { endpointOf } from '../service-endpoint.ts';
import { credentialsAgain, daysOption, loginOptions, secondsOf, tokenFor } from '../login-token.ts';
import { UsageError } from '../usage-error.ts';
import { forgetProfile, keepProfile, profilesFile, readProfiles } from '../profiles.ts';
import { reportDone } from '../report-done.ts';

const usualProfile = 'default';

/** Who one is, and the tokens that one makes. */
export const accountCommands: readonly Command[] = [
  {
    words: ['login'],
    about: 'log in: creates an API token and stores it in a profile',
    args: [{ name: 'endpoint', kind: 'text', isOptional: true }],
    options: { ...loginOptions, days: daysOption },
    example: 'login http://127.0.0.1:5000 --username ada --password-file pw',
    run: async (context, parsed) => {
      const { env, output } = context;
      const endpoint = endpointOf(parsed.optional('endpoint') ?? parsed.option('endpoint') ?? env['CORRAL_ENDPOINT']);
      const held = await tokenFor(context, parsed, endpoint);
      const corral = context.corralAs(endpoint, tokenCredentials(held.token));
      const me = await corral.whoami();
      const name = parsed.option('profile') ?? usualProfile;
      const { current } = await readProfiles(profilesFile(env));
      const file = profilesFile(env);
      const before = await keepProfile(file, name, { endpoint, username: me.name, ...held });
      // Nobody has it any more.
      if (before?.tokenName !== undefined && before.endpoint === endpoint && before.username === me.name)
        await revoke(corral, before.tokenName);
      const until = me.expires_at === null ? '' : ` until ${me.expires_at}`;
      const isMoved = current !== null && current !== name;
      if (isMoved) output.note(`profile ${name} is now the default; before it was ${current}`);
      reportDone(output, `logged in as ${me.name} at ${endpoint}${until}; profile ${name} is stored in ${file}`, {
        ...me,
        endpoint,
        profile: name,
      });
    },
  },
  {
    words: ['logout'],
    about: 'revoke the token of a profile and delete the profile',
    example: 'logout',
    run: async (context, parsed) => {
      const file = profilesFile(context.env);
      const { current, profiles } = await readProfiles(file);
      const name = parsed.option('profile') ?? current;
      const profile = name !== null && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
      if (name === null || profile === undefined) throw new UsageError(`no profile to log out of in ${file}`);
      const { endpoint, token, tokenName } = profile;
      if (token !== undefined && tokenName !== undefined) {
        await revoke(context.corralAs(endpoint, tokenCredentials(token)), tokenName);
      }
      await forgetProfile(file, name);
      reportDone(
        context.output,
        `profile ${name} is deleted${tokenName === undefined ? '' : ', and its token is revoked'}`,
      );
    },
  },
  {
    words: ['whoami'],
    about: 'show who you are at the service and what you may do',
    example: 'whoami',
    run: async ({ corral, output }) => {
      const client = await corral();
      const me = await client.whoami();
      output.facts(
        [
          ['name', me.name],
          ['at', client.endpoint],
          ['admin', me.admin ? 'yes' : 'no'],
          ['projects', me.projects.join(', ') || 'none'],
          ['by', me.read_only ? `${me.by}, read-only` : me.by],
          ['until', me.expires_at ?? 'no end'],
        ],
        { ...me, endpoint: client.endpoint },
      );
    },
  },
  {
    words: ['token', 'create'],
    about: 'create an API token for a script; it is shown only once',
    args: [{ name: 'token', kind: 'text' }],
    options: {
      days: daysOption,
      project: { value: 'PROJECT', about: 'for this project only', kind: 'project' },
      'read-only': { about: 'read-only' },
      'password-file': { value: 'FILE', about: 'file with your password, if you are logged in; - for standard input' },
    },
    example: 'token create ci --days 30 --project physics --read-only',
    run: async (context, parsed) => {
      const { output } = context;
      const corral = await context.corral();
      const { by, name } = await corral.whoami();
      const caller =
        by === 'credentials'
          ? corral
          : context.corralAs(corral.endpoint, await credentialsAgain(context, parsed, corral.endpoint, name));
      const made = await caller.tokenCreate({
        token: parsed.arg('token'),
        expires_in: secondsOf(parsed),
        ...field('project', parsed.option('project')),
        read_only: parsed.flag('read-only'),
      });
      if (output.isJson) output.json(made);
      output.say(made.token);
      output.note(`valid until ${made.expires_at}; it is not shown again`);
    },
  },
  {
    words: ['token', 'list'],
    about: 'list your tokens',
    options: { user: { value: 'USER', about: 'of another user (administrators only)', kind: 'user' } },
    example: 'token list',
    run: async ({ corral, output }, parsed) => {
      const tokens = await (await corral()).listTokens(field('user', parsed.option('user')));
      const rows = tokens.map(({ token, project, read_only, expires_at, used_at }) => [
        token,
        project ?? 'all of yours',
        read_only ? 'look' : 'change',
        expires_at,
        used_at ?? 'never',
      ]);
      output.table(['token', 'projects', 'may', 'until', 'last used'], rows, tokens, 'no tokens');
    },
  },
  simpleCommand({
    usage: 'token revoke <token>',
    about: 'revoke a token; it takes effect at once',
    options: { user: { value: 'USER', about: 'of another user (administrators only)', kind: 'user' } },
    example: 'token revoke ci',
    call: (corral, args, parsed) => corral.tokenRevoke({ ...args, ...field('user', parsed.option('user')) }),
    sentence: ({ token }) => `token ${token} is revoked`,
  }),
  {
    words: ['session', 'list'],
    about: 'list your browser sessions',
    options: { user: { value: 'USER', about: 'of another user (administrators only)', kind: 'user' } },
    example: 'session list',
    run: async ({ corral, output }, parsed) => {
      const sessions = await (await corral()).listSessions(field('user', parsed.option('user')));
      const rows = sessions.map(({ session, address, agent, seen_at, expires_at }) => [
        session,
        address,
        agent,
        seen_at,
        expires_at,
      ]);
      output.table(['session', 'from', 'browser', 'last seen', 'until'], rows, sessions, 'no sessions');
    },
  },
  simpleCommand({
    usage: 'session end <session:text>',
    about: 'end a browser session; it takes effect at once',
    example: 'session end 12',
    call: (corral, args) => corral.sessionEnd(args),
    sentence: ({ session }) => `session ${session} has ended`,
  }),
  listCommand({
    usage: 'extension list',
    about: 'list the active extensions of the service',
    example: 'extension list',
    of: 'extension',
    call: (corral) => corral.listActiveExtensions(),
  }),
];

/** One that is void already is what was wanted. */
const revoke = (corral: Corral, token: string): Promise<void> =>
  corral.tokenRevoke({ token }).catch((error: unknown) => {
    if (!(error instanceof AuthorizationError || error instanceof NotFoundError)) throw error;
  });
