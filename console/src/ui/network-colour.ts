/** How many colours there are (`theme.css`), and how many patterns each comes in. */
const colours = 8;
const patterns = ['plain', 'stripes', 'dots'] as const;

/** How a network looks everywhere: always the same for its name, and never by colour alone. */
interface NetworkLook {
  /** Its name in the theme. */
  readonly colour: string;
  readonly pattern: (typeof patterns)[number];
}

/** FNV-1a: spreads names that differ in one character. */
const hashOf = (name: string): number => {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
};

export const lookOf = (network: string): NetworkLook => {
  const hash = hashOf(network);
  return {
    colour: `--network-${hash % colours}`,
    pattern: patterns[Math.floor(hash / colours) % patterns.length] ?? 'plain',
  };
};

/** The background of a swatch or a port that carries the network. */
export const fillOf = (network: string): string => {
  const { colour: name, pattern } = lookOf(network);
  const colour = `var(${name})`;
  if (pattern === 'stripes')
    return `repeating-linear-gradient(45deg, ${colour} 0 4px, color-mix(in oklab, ${colour} 55%, white) 4px 7px)`;
  if (pattern === 'dots')
    return `radial-gradient(color-mix(in oklab, ${colour} 40%, white) 1.1px, transparent 1.4px) 0 0 / 5px 5px, ${colour}`;
  return colour;
};
