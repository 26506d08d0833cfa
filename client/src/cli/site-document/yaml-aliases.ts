import { type Document, isAlias, isCollection, isNode, isPair, type Node, visit } from 'yaml';

/** How many times as large a document may become when its aliases are followed, and how much larger in any case. */
const most = { times: 10, more: 10_000 };

/** The aliases of a document: what each stands for, and what is wrong with them. */
export interface Aliases {
  readonly targets: ReadonlyMap<unknown, Node>;
  readonly mistakes: readonly { readonly node: unknown; readonly text: string }[];
}

/** Finds what aliases stand for: nothing may have the name, it may never end, or grow beyond measure. */
export const followAliases = (document: Document): Aliases => {
  const anchors = new Map<string, Node>();
  const targets = new Map<unknown, Node>();
  const mistakes: { node: unknown; text: string }[] = [];
  let count = 0;
  visit(document, (_key, node, path) => {
    count += 1;
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (!target) mistakes.push({ node, text: `there is no anchor &${node.source} before it` });
      else if (path.includes(target)) mistakes.push({ node, text: `*${node.source} refers to itself` });
      else targets.set(node, target);
    } else if (isNode(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
  });
  if (mistakes.length === 0 && sizeOf(document.contents, targets) > count * most.times + most.more) {
    mistakes.push({ node: null, text: 'its aliases make it too large; write out their values' });
  }
  return { targets, mistakes };
};

/** How many nodes there are when every alias is followed. */
const sizeOf = (top: unknown, targets: Aliases['targets']): number => {
  const known = new Map<unknown, number>();
  const size = (node: unknown): number => {
    if (isAlias(node)) return size(targets.get(node));
    if (isPair(node)) return size(node.key) + size(node.value);
    if (!isCollection(node)) return 1;
    const before = known.get(node);
    if (before !== undefined) return before;
    const total = node.items.reduce<number>((sum, item) => sum + size(item), 1);
    known.set(node, total);
    return total;
  };
  return size(top);
};
