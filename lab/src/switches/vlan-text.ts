/** Every VLAN id. */
export const everyVlan: readonly number[] = Array.from({ length: 4094 }, (_, index) => index + 1);

/** `1-3,7` as a set; null if it is no such list. */
export const vlansOf = (text: string): Set<number> | null => {
  const vlans = new Set<number>();
  for (const item of text.split(',')) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(item) ?? [];
    if (first === undefined || Number(last) > 4094 || Number(first) < 1 || Number(first) > Number(last)) return null;
    for (let vlan = Number(first); vlan <= Number(last); vlan++) vlans.add(vlan);
  }
  return vlans;
};

/** A set as `1-3,7`. `shortestRange` is how many in a row are written with a dash; devices differ for two. */
export const vlanText = (vlans: Iterable<number>, shortestRange = 2): string => {
  const sorted = [...vlans].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length;) {
    let end = at;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++;
    const [first = 0, last = 0] = [sorted[at], sorted[end]];
    if (end - at + 1 >= shortestRange && end > at) parts.push(`${first}-${last}`);
    else parts.push(...sorted.slice(at, end + 1).map(String));
    at = end + 1;
  }
  return parts.join(',');
};

/** Breaks a long list after a comma, the way devices wrap them. */
export const wrapped = (list: string, longest: number): readonly string[] => {
  const lines: string[] = [];
  for (const item of list.split(',')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + item.length <= longest) lines[lines.length - 1] = `${line},${item}`;
    else lines.push(item);
  }
  return lines;
};
