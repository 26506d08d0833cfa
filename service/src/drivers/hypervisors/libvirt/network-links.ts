/** An interface of this host, as `ip -details -json link show` tells of it. */
export interface Link {
  readonly name: string;
  /** `bridge`, `vlan` and so on; null: none that `ip` has a word for, such as a card. */
  readonly kind: string | null;
  /** The VLAN that it is, if it is one; of whatever kind of tag. */
  readonly vlan: number | null;
  /** The interface that it is a part of. */
  readonly below: string | null;
  readonly master: string | null;
}

/** Reads what `ip` said. An `ip` that says nothing has nothing to tell of. */
export const linksIn = (said: string): readonly Link[] => {
  const links: unknown = JSON.parse(said.trim() === '' ? '[]' : said);
  // For an interface that is not there, some versions give an empty object.
  return Array.isArray(links) ? links.filter((link) => text(link, 'ifname') !== null).map(linkFrom) : [];
};

const linkFrom = (link: unknown): Link => {
  const info = field(link, 'linkinfo');
  const kind = text(info, 'info_kind');
  const id = field(field(info, 'info_data'), 'id');
  return {
    name: text(link, 'ifname') ?? '',
    kind,
    vlan: kind === 'vlan' && typeof id === 'number' ? id : null,
    below: text(link, 'link'),
    master: text(link, 'master'),
  };
};

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;

const text = (value: unknown, name: string): string | null => {
  const found = field(value, name);
  return typeof found === 'string' ? found : null;
};
