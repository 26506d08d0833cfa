import { BmcError } from '../contract.ts';

const tellAdministrator = 'try again, and tell an administrator if it stays so';

/** The signal ended it. */
export const notInTime = (cause?: unknown): BmcError =>
  new BmcError('unreachable', `the BMC did not answer in time; ${tellAdministrator}`, { cause });

/** No connection, or one that broke. */
export const noConnection = (cause: unknown): BmcError =>
  new BmcError('unreachable', `the connection to the BMC failed; ${tellAdministrator}`, { cause });

/** It keeps saying that it is busy, or wants to be left alone for too long. */
export const tooBusy = (cause: unknown): BmcError =>
  new BmcError('unreachable', 'the BMC is too busy to answer; try again in some minutes', { cause });

/** The certificate is not vouched for, has ended, or is for another name. */
export const untrusted = (cause: unknown): BmcError =>
  new BmcError(
    'failed',
    'the certificate of the BMC is not trusted; an administrator can register the node with its "fingerprint", or with the "ca" that vouches for it',
    { cause },
  );

/** The certificate is not the pinned one. */
export const otherCertificate = (cause: unknown): BmcError =>
  new BmcError(
    'failed',
    'the BMC shows another certificate than the one that the node was registered with; if that is meant to be, an administrator has to register its new "fingerprint"',
    { cause },
  );

/** A certificate to check where there is none. */
export const noCertificate = (): BmcError =>
  new BmcError(
    'unsupported',
    'the node was registered with a certificate to check, but with an "url" that has none; an administrator has to give it as https://…',
  );

/** Something answers, but not as Redfish does. */
export const notRedfish = (cause: unknown): BmcError =>
  new BmcError(
    'failed',
    `what answers in the place of the BMC makes no sense as a Redfish service; ${tellAdministrator}, who should check its "url"`,
    { cause },
  );

export const redirected = (cause: unknown): BmcError =>
  new BmcError(
    'failed',
    'the BMC sends us to another address, which is not followed; an administrator should check its "url"',
    { cause },
  );

/** Something that it shows lies on another host: our credentials do not go there. */
export const elsewhere = (what: string): BmcError =>
  new BmcError('failed', `the BMC says that ${what} is on another host, which is not followed; tell an administrator`);

export const wrongPassword = (cause: unknown): BmcError =>
  new BmcError(
    'credentials',
    'the BMC does not accept the user name and password that the node was registered with; an administrator has to register them anew',
    { cause },
  );

export const notAllowed = (cause: unknown): BmcError =>
  new BmcError(
    'credentials',
    'the BMC does not allow this to the user that the node was registered with; an administrator has to give that user the role Operator',
    { cause },
  );

/** It understood, and said no or failed. `what` goes on after "to". */
export const refused = (what: string, cause: unknown): BmcError =>
  new BmcError('failed', `the BMC refused to ${what}; ${tellAdministrator}`, { cause });

/** It will never do that. */
export const cannot = (sentence: string): BmcError => new BmcError('unsupported', sentence);
