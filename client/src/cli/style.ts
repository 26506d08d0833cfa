/** Colours, or nothing where they are not wanted. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

/** With colours if `isColourful`; whether, is for whoever knows the terminal and NO_COLOR to say. */
export const styleFor = (isColourful: boolean): Style => {
  const paint = (code: number) => (text: string) => (isColourful ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
  };
};
