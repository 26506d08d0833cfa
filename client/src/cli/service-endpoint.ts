import { isAddress, unfitIn } from '../endpoint.ts';
import { UsageError } from './usage-error.ts';

const usualEndpoint = 'http://127.0.0.1:5000';

/** An endpoint that can be one; without any, the service on this machine. */
export const endpointOf = (text: string | undefined): string => {
  const endpoint = text ?? usualEndpoint;
  const unfit = unfitIn(endpoint);
  if (unfit !== null) {
    throw new UsageError(`the endpoint ${unfit}; write it like https://corral.example.org, and log in: corral login`);
  }
  if (isAddress(endpoint)) return endpoint;
  // What stands before an @ may be a password.
  const what = JSON.stringify(endpoint.replace(/^.*@/s, '…@'));
  throw new UsageError(`${what} is not an endpoint; expected a URL such as https://corral.example.org`);
};
