import { UsageError } from './mistake.ts';

const usualEndpoint = 'http://127.0.0.1:5000';

/** An endpoint that can be one; without any, the service on this machine. */
export const endpointOf = (text: string | undefined): string => {
  const endpoint = text ?? usualEndpoint;
  if (/^https?:\/\//.test(endpoint) && URL.canParse(endpoint)) return endpoint;
  throw new UsageError(`${JSON.stringify(endpoint)} is no endpoint; it looks like https://corral.example.org`);
};
