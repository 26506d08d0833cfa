/** Did it fail, not end in time, or is there no such program? */
type Failure = 'failed' | 'late' | 'missing';

/** A virsh command that came to nothing. What it said has addresses and paths in it: for the log, not for a tenant. */
export class VirshError extends Error {
  readonly failure: Failure;
  /** In its own words. */
  readonly said: string;

  constructor(failure: Failure, command: string, said: string, options?: ErrorOptions) {
    const words = said.trim();
    const silence = { failed: 'it exited without output', late: 'timed out', missing: 'command not found' };
    super(`virsh ${command}: ${words.slice(-1_000) || silence[failure]}`, options);
    this.failure = failure;
    // Patterns are tried on it, and it says what is wrong at its end.
    this.said = words.slice(-4_000);
  }
}

/** What virsh's words mean, as far as that is the same for every command. */
export const complaints = {
  noDomain: /Domain not found|failed to get domain/i,
  refused:
    /authentication (failed|unavailable|cancelled)|access denied|Host key verification failed|failed to connect[^]*Permission denied/i,
  unreachable:
    /failed to connect|unable to connect|cannot recv data|Connection (refused|reset)|keepalive timeout|End of file while reading/i,
  notStarted: /Failed to start domain/i,
} as const;
