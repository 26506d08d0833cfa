import { systemCaller } from '../core/caller.ts';
import { isLoopback } from '@corral/base/http/loopback';
import { unauthorized } from '../core/corral-error.ts';
import type { AuthBackend } from './auth-contract.ts';

/** Everybody is the operator. For trying things out, on loopback only. */
export const nullBackend: AuthBackend = {
  name: 'null',
  challenge: 'Basic realm="corral"',
  authenticate: ({ origin }) => {
    // A name that somebody else's DNS points at this machine would make their pages ours.
    const host = URL.canParse(origin) ? new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1') : '';
    if (isLoopback(host)) return systemCaller;
    throw unauthorized(`without authentication this service accepts only local requests: use 127.0.0.1, not ${host}`);
  },
};
