import { BmcError, type BmcFault } from '../bmc-contract.ts';

const later = 'try again in a minute, and tell an administrator if the problem persists';

/** What ipmitool says, what that means, and the way out; the first that fits. */
const complaints: readonly (readonly [RegExp, BmcFault, string])[] = [
  [
    /RAKP 2 HMAC is invalid|(unauthorized|invalid) (user )?name|invalid name length|Invalid password|password verification/i,
    'credentials',
    'the BMC rejects the registered user name and password; ask an administrator to register the node again with the right ones',
  ],
  [
    /(unauthorized|invalid) role|insufficient privilege/i,
    'credentials',
    'the registered BMC user lacks permission for this; ask an administrator to give that user the operator privilege, and to register the node with "privilege": "operator"',
  ],
  [
    /invalid (authentication|integrity|confidentiality) algorithm|no cipher suite match|Unsupported cipher suite/i,
    'unsupported',
    'the BMC rejects the registered cipher suite; ask an administrator to register the node with another cipher, such as 17 or 3',
  ],
  [/insufficient resources|Node busy|Out of space/i, 'failed', `the BMC is busy; ${later}`],
  [
    /SOL payload disabled|SOL payload.*not (enabled|supported)/i,
    'unsupported',
    'serial over LAN is disabled on the BMC; ask an administrator to enable it there',
  ],
  [
    /SOL payload already active|activation limit/i,
    'failed',
    'another client keeps opening the console directly on the BMC; ask an administrator to end that session',
  ],
  [
    /Address lookup for/i,
    'unreachable',
    'the address of the BMC cannot be resolved; ask an administrator to register the node again with the right one',
  ],
  // Said before "closed by BMC" when what was typed could not be handed over.
  [/No response|Error sending SOL data/i, 'unreachable', `the BMC stopped answering; ${later}`],
  [/closed by BMC/i, 'failed', 'the BMC closed the console; open it again'],
  [
    /Unable to establish|Get Auth Capabilities error|Could not open socket/i,
    'unreachable',
    `the BMC does not answer; ${later}`,
  ],
  [
    /: Invalid command$/im,
    'unsupported',
    'the BMC does not support this command; ask an administrator whether it can be enabled there',
  ],
];

/** What ipmitool says even if all is well, because of its verbose option: it queries what few BMCs have. */
const chatter =
  /^(Loading IANA|Running Get VSO|Invalid completion code received|Discovered IPMB|Get HPM\.x|tcgetattr:|$)/;

/** It says what is wrong at the end; patterns are not tried on more than this. */
const longestComplaint = 4_000;

/** The error that ipmitool's words mean; they go into the cause. It never says a password. */
export const faultFrom = (command: string, said: string): BmcError => {
  const words = said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !chatter.test(line))
    .join('\n')
    .slice(-longestComplaint);
  const cause = new Error(`ipmitool ${command}: ${words.slice(-1000) || 'it exited without output'}`);
  const [, fault, sentence] = complaints.find(([pattern]) => pattern.test(words)) ?? [];
  return new BmcError(fault ?? 'failed', sentence ?? `the BMC failed to carry out the command; ${later}`, { cause });
};

/** The error for a call whose time is over, or that somebody put an end to. */
export const endedBy = (signal: AbortSignal): BmcError =>
  signal.reason instanceof BmcError
    ? signal.reason
    : new BmcError('unreachable', `the BMC did not answer in time; ${later}`, { cause: signal.reason });

/** Throws if the time is over. */
export const stillWanted = (signal: AbortSignal): void => {
  if (signal.aborted) throw endedBy(signal);
};

/** The error for a program that cannot be started. */
export const cannotStart = (cause: Error): BmcError =>
  new BmcError(
    'failed',
    'the daemon cannot run ipmitool; ask an administrator to install it on the host of the daemon',
    {
      cause: new Error(`ipmitool: ${'code' in cause ? String(cause.code) : cause.name}`),
    },
  );
