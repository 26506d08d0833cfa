/** An event, as far as it tells of nodes that change hands. */
export interface HandOverEvent {
  readonly id: number;
  readonly type: string;
  readonly project: string | null;
  readonly node?: string;
  readonly detail: {
    readonly claim?: string;
    readonly cleaning?: string;
    readonly count?: number;
    readonly nodes?: readonly string[];
  };
}

interface WaitingClaim {
  readonly claim: string;
  readonly project: string;
  readonly count: number;
}

/**
 * Reads the record of what happened from its beginning, in order, and finds what must never happen: a node of two
 * projects, one that was given away before it was clean, a project with more than its quota, a claim that got more or
 * fewer nodes than it asked for, or that was served before its turn.
 */
export class HandOverRecord {
  readonly owners = new Map<string, string>();
  readonly counts = { served: 0, claimed: 0, given: 0, returned: 0, passed: 0, quarantined: 0 };
  /** Each would be a fault of the service. */
  readonly wrongs: string[] = [];
  readonly #nodes: readonly string[];
  readonly #quota: number;
  readonly #recent: number;
  /** After each event: how many nodes each project had, and how many anybody could have. */
  readonly #history: { readonly had: ReadonlyMap<string, number>; readonly free: number }[] = [];
  /** Nodes that nobody may get: not clean, or kept by an operator. */
  readonly #closed = new Set<string>();
  readonly #line: WaitingClaim[] = [];
  /** Cleanings that the service of the site has called clean, at least once. */
  readonly #calledClean: ReadonlySet<string>;

  /**
   * `recent`: how many events back a transaction may look that decides about a claim. On PostgreSQL one may not see what
   * is committed while it runs.
   */
  constructor(
    nodes: readonly string[],
    calledClean: ReadonlySet<string>,
    { quota, recent }: { readonly quota: number; readonly recent: number },
  ) {
    this.#nodes = nodes;
    this.#calledClean = calledClean;
    this.#quota = quota;
    this.#recent = recent;
  }

  read(events: readonly HandOverEvent[]): void {
    const projects = [...new Set(events.flatMap(({ project }) => project ?? []))];
    for (const event of events) {
      this.#readOne(event);
      this.#history.push({
        had: new Map(projects.map((project) => [project, this.#has(project)])),
        free: this.#nodes.filter((node) => !this.owners.has(node) && !this.#closed.has(node)).length,
      });
    }
  }

  #readOne(event: HandOverEvent): void {
    const { type, project, node = '', detail } = event;
    const claim = detail.claim ?? '';
    if (type === 'project_connect_node') this.#give(event, project ?? '', node);
    else if (type === 'project_detach_node') this.#takeBack(event, node);
    else if (type === 'cleaning_passed') this.#pass(event, node);
    else if (type === 'cleaning_started') this.#closed.add(node);
    else if (type === 'node_quarantined') {
      this.counts.quarantined += 1;
      this.#closed.add(node);
    } else if (type === 'project_claim') {
      this.counts.claimed += 1;
      this.#expectAll(event, project ?? '');
    } else if (type === 'claim_waiting') this.#line.push({ claim, project: project ?? '', count: detail.count ?? 0 });
    else if (type === 'claim_served') this.#serve(event, claim);
    else if (type === 'claim_cancelled' || type === 'claim_ended') this.#leaveLine(claim);
  }

  #give(event: HandOverEvent, project: string, node: string): void {
    this.counts.given += 1;
    const owner = this.owners.get(node);
    if (owner !== undefined) this.#wrong(event, `${node} was given to ${project} while ${owner} had it`);
    if (this.#closed.has(node)) this.#wrong(event, `${node} was given to ${project} before it was clean`);
    this.owners.set(node, project);
    if (this.#has(project) > this.#quota) this.#wrong(event, `${project} has ${this.#has(project)} nodes`);
  }

  #takeBack(event: HandOverEvent, node: string): void {
    this.counts.returned += 1;
    if (!this.owners.delete(node)) this.#wrong(event, `${node} left a project that did not have it`);
    this.#closed.add(node);
  }

  #pass(event: HandOverEvent, node: string): void {
    this.counts.passed += 1;
    if (!this.#calledClean.has(event.detail.cleaning ?? '')) this.#wrong(event, `nobody called ${node} clean`);
    this.#closed.delete(node);
  }

  /** Every node that a claim names is its project's. */
  #expectAll(event: HandOverEvent, project: string, count = event.detail.count): void {
    const nodes = event.detail.nodes ?? [];
    const isWhole = nodes.length === count && nodes.every((node) => this.owners.get(node) === project);
    if (!isWhole) this.#wrong(event, `a claim of ${count ?? 0} got ${nodes.join(', ')}`);
  }

  #serve(event: HandOverEvent, claim: string): void {
    this.counts.served += 1;
    const place = this.#line.findIndex((one) => one.claim === claim);
    const found = this.#line[place];
    if (found === undefined) return this.#wrong(event, 'a claim was served that did not wait');
    this.#expectAll(event, found.project, found.count);
    // All ask for any nodes, so what earlier ones need is kept, unless the quota of their project is in their way. What
    // was given to this one is the last that happened.
    const states = this.#history.slice(0, this.#history.length - found.count).slice(-1 - this.#recent);
    const earlier = this.#line.slice(0, place);
    const wasItsTurn = states.some(({ had, free }) => {
      const mayHave = earlier.filter(({ project, count }) => (had.get(project) ?? 0) + count <= this.#quota);
      return free - found.count >= mayHave.reduce((sum, { count }) => sum + count, 0);
    });
    if (!wasItsTurn) this.#wrong(event, `a claim of ${found.project} was served before its turn`);
    this.#leaveLine(claim);
  }

  #leaveLine(claim: string): void {
    const place = this.#line.findIndex((one) => one.claim === claim);
    if (place >= 0) this.#line.splice(place, 1);
  }

  #has(project: string): number {
    return [...this.owners.values()].filter((owner) => owner === project).length;
  }

  #wrong({ id, type }: HandOverEvent, what: string): void {
    this.wrongs.push(`event ${id}, ${type}: ${what}`);
  }
}
