/** Is it the address of a service? A caller without types may give anything. */
export const isAddress = (endpoint: unknown): boolean =>
  typeof endpoint === 'string' && /^https?:\/\//.test(endpoint) && URL.canParse(endpoint);

/**
 * What an endpoint may not hold, as the end of a sentence; null if it is fine. The endpoint itself is not repeated: who
 * writes a password into it does not want to read it in an error.
 */
export const unfitIn = (endpoint: string): string | null => {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url && (url.username !== '' || url.password !== '')) return 'holds a user name or a password';
  return /[?#]/.test(endpoint) ? 'holds a query or a fragment (? or #)' : null;
};
