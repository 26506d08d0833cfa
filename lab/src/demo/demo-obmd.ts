const callWithinMs = 30_000;

/** The OBM daemon inside the demo's service, as its operator sees it. */
export interface DemoObmd {
  readonly adminToken: string;
  /** Where a machine is, as `node_register` takes it. */
  uri(id: string): string;
  /** Registers an imagined machine. */
  add(id: string): Promise<void>;
}

/** The admin calls of a daemon at this address. */
export const obmdAt = (origin: string, adminToken: string): DemoObmd => {
  const uri = (id: string): string => `${origin}/node/${encodeURIComponent(id)}`;
  return {
    adminToken,
    uri,
    add: async (id) => {
      const response = await fetch(uri(id), {
        method: 'PUT',
        headers: { authorization: `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}` },
        body: JSON.stringify({ type: 'mock', info: { addr: id } }),
        signal: AbortSignal.timeout(callWithinMs),
      });
      if (!response.ok) throw new Error(`the OBM daemon refused node ${id}: ${await response.text()}`);
    },
  };
};
