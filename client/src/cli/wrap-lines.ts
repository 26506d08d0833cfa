import { widthOf } from './table.ts';

// eslint-disable-next-line no-control-regex -- colours begin with a control character
const colours = /\u001b\[\d+m/g;

/** Of a width; further to the right too little room would be left. */
const mostIndent = 0.6;

const columnsOf = (text: string): number => widthOf(text.replaceAll(colours, ''));

/**
 * Lines of at most so many columns, broken between words: a terminal breaks them in the middle of words. What is left
 * of a line begins where its text began: after the spaces before it, or after what stands before the first gap, as in a list
 * of names with explanations. A word that is longer than a line stays whole.
 */
export const wrapLines = (text: string, width: number): string =>
  width === Infinity
    ? text
    : text
        .split('\n')
        .flatMap((line) => (columnsOf(line) <= width ? [line] : broken(line, width)))
        .join('\n');

const broken = (line: string, width: number): readonly string[] => {
  const indent = indentOf(line, width);
  const lines: string[] = [];
  let current = '';
  let columns = 0;
  for (const [, gap = '', word = ''] of line.matchAll(/( *)([^ ]+)/g)) {
    const more = gap.length + columnsOf(word);
    if (columns > indent.length && columns + more > width) {
      lines.push(current);
      current = indent + word;
      columns = columnsOf(current);
    } else {
      current += gap + word;
      columns += more;
    }
  }
  return [...lines, current];
};

const indentOf = (line: string, width: number): string => {
  const plain = line.replaceAll(colours, '');
  const before = /^ *\S+(?: \S+)* {2,}/.exec(plain)?.[0] ?? '';
  const isList = before !== '' && widthOf(before) <= width * mostIndent;
  return ' '.repeat(isList ? widthOf(before) : plain.length - plain.trimStart().length);
};
