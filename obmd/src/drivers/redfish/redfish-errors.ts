import { BmcError } from '../bmc-contract.ts';

const tellAdministrator = 'try again, and tell an administrator if the problem persists';

/** The signal ended it. */
export const notInTime = (cause?: unknown): BmcError =>
  new BmcError('unreachable', `the BMC did not answer in time; ${tellAdministrator}`, { cause });

/** No connection, or one that broke. */
export const noConnection = (cause: unknown): BmcError =>
  new BmcError('unreachable', `the connection to the BMC failed; ${tellAdministrator}`, { cause });

/** It keeps saying that it is busy, or wants to be left alone for too long. */
export const tooBusy = (cause: unknown): BmcError =>
  new BmcError('unreachable', 'the BMC is too busy to answer; try again in some minutes', { cause });

/** The certificate is not trusted, has expired, or is for another name. */
export const untrusted = (cause: unknown): BmcError =>
  new BmcError(
    'failed',
    'the certificate of the BMC is not trusted; an administrator can register the node with its "fingerprint", or with the "ca" that signed it',
    { cause },
  );

/** The certificate is not the pinned one. */
export const otherCertificate = (cause: unknown): BmcError =>
  new BmcError(
    'failed',
    'the BMC presents another certificate than the registered one; if this is expected, an administrator must register its new "fingerprint"',
    { cause },
  );

/** A certificate to check where there is none. */
export const noCertificate = (): BmcError =>
  new BmcError(
    'unsupported',
    'the node is registered with a certificate to check, but its "url" is not https; an administrator must change it to https://…',
  );

/** Something answers, but not as Redfish does. */
export const notRedfish = (cause: unknown): BmcError =>
  new BmcError(
    'failed',
    `the response from the address of the BMC is not that of a Redfish service; ${tellAdministrator}, who should check its "url"`,
    { cause },
  );

export const redirected = (cause: unknown): BmcError =>
  new BmcError(
    'failed',
    'the BMC redirects to another address, which is not followed; an administrator should check its "url"',
    { cause },
  );

/** Something that it shows lies on another host: our credentials do not go there. */
export const elsewhere = (what: string): BmcError =>
  new BmcError('failed', `the BMC refers to another host for ${what}, which is not followed; tell an administrator`);

export const wrongPassword = (cause: unknown): BmcError =>
  new BmcError(
    'credentials',
    'the BMC rejects the registered user name and password; an administrator must register the right ones',
    { cause },
  );

export const notAllowed = (cause: unknown): BmcError =>
  new BmcError(
    'credentials',
    'the registered BMC user lacks permission for this; an administrator must give that user the role Operator',
    { cause },
  );

/** It understood, and said no or failed. `what` goes on after "to". */
export const refused = (what: string, cause: unknown): BmcError =>
  new BmcError('failed', `the BMC refused to ${what}; ${tellAdministrator}`, { cause });

/** It will never do that. */
export const cannot = (sentence: string): BmcError => new BmcError('unsupported', sentence);
