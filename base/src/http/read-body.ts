import type { Readable } from 'node:stream';

/** A body of 1 MiB in pieces of a hundred bytes. Each piece costs as much as thousands of bytes do. */
const mostPieces = 10_000;
/** So many pieces, or bytes to parse, are worth a look at the time. */
const somePieces = 256;
const someBytes = 64 * 1024;

interface BodyRules {
  /** What the request says of it; NaN: nothing. */
  readonly declared: number;
  readonly most: number;
  /** The error for a body that is too long. */
  readonly tooLong: () => Error;
  readonly invalid: (message: string) => Error;
  /** Told before something that may take long. */
  readonly reads: () => void;
}

/** Reads a body. After a failure the rest of it is ignored. */
export const readBody = (
  payload: Readable,
  { declared, most, tooLong, invalid, reads }: BodyRules,
  done: (error: Error | null, bytes: Buffer) => void,
): void => {
  const pieces: Buffer[] = [];
  let length = 0;
  const finish = (error: Error | null): void => {
    payload.off('data', take).off('end', end).off('error', fail);
    if (length > someBytes) reads();
    done(error, error ? Buffer.alloc(0) : Buffer.concat(pieces, length));
  };
  const take = (piece: Buffer): void => {
    length += piece.length;
    if (pieces.length % somePieces === somePieces - 1) reads();
    if (length > most) finish(tooLong());
    else if (pieces.push(piece) > mostPieces)
      finish(invalid(`the body arrives in more than ${mostPieces} chunks; send larger chunks`));
  };
  const end = (): void => {
    const isWhole = Number.isNaN(declared) || length === declared;
    finish(isWhole ? null : invalid('the length of the body does not match Content-Length'));
  };
  const fail = (): void => finish(invalid('the body ended early'));
  if (declared > most) done(tooLong(), Buffer.alloc(0));
  else payload.on('data', take).on('end', end).on('error', fail).resume();
};
