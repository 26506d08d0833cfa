import { printable } from './printable.ts';

/** Colours, or nothing where they are not wanted. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  /** Lines as they may be written: whatever is in them, only these colours and the ends of lines are left of it. */
  shown(text: string): string;
}

const reset = 0;
const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

const ownMarks = new RegExp(`(\n|\u001b\\[(?:${[reset, ...Object.values(codes)].join('|')})m)`);

/** With colours if `isColourful`; the caller knows the terminal and NO_COLOR. */
export const styleFor = (isColourful: boolean): Style => {
  const paint = (code: number) => (text: string) => (isColourful ? `\u001b[${code}m${text}\u001b[${reset}m` : text);
  const left = isColourful ? ownMarks : /(\n)/;
  return {
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
    shown: (text) =>
      text
        .split(left)
        .map((part, index) => (index % 2 === 1 ? part : printable(part)))
        .join(''),
  };
};
