import { createServer } from 'node:net';
import { DemoError } from './demo-error.ts';

/** The port that the documentation uses. */
const usualPort = 5000;

/** The port that was asked for, which must be free; otherwise the usual one, or 0 (any) if that is taken. */
export const choosePort = async (asked: number | null): Promise<number> => {
  if (asked === null) return (await isFree(usualPort)) ? usualPort : 0;
  if (await isFree(asked)) return asked;
  throw new DemoError(`port ${asked} is taken; give another one with --port, or none to have a free one chosen`);
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
