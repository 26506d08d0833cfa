import { readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../config/config-error.ts';

/** PEM files of a certificate and its key. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

interface TlsLog {
  info(message: string): void;
  warn(fields: { readonly reason: string }, message: string): void;
}

const lookMs = 5_000;

interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: 'TLSv1.2';
}

/** Reads certificate and key, and makes sure that they go together. */
export const readTls = (files: TlsFiles): TlsPair => {
  try {
    const pair: TlsPair = { cert: readFileSync(files.cert), key: readFileSync(files.key), minVersion: 'TLSv1.2' };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unreadable';
    throw new ConfigError([`TLS: ${files.cert} and ${files.key} are not a matching certificate and key (${why})`]);
  }
};

/** Takes up a renewed certificate without a restart. Until both files fit together, the old one stays. */
export const followTls = (server: Server, files: TlsFiles, log: TlsLog): (() => void) => {
  const stamp = (): string => {
    try {
      // The second time changes also when a file is put in the other's place, or made readable.
      return [files.cert, files.key]
        .map((file) => statSync(file))
        .map(({ mtimeMs, ctimeMs }) => `${mtimeMs} ${ctimeMs}`)
        .join();
    } catch {
      return '';
    }
  };
  let known = stamp();
  const timer = setInterval(() => {
    const now = stamp();
    if (now === known || now === '') return;
    // What is half written now has changed again by the next look.
    known = now;
    try {
      server.setSecureContext(readTls(files));
      log.info('TLS certificate reloaded');
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unreadable';
      log.warn({ reason: why }, 'failed to reload the TLS certificate; keeping the old one');
    }
  }, lookMs).unref();
  return () => clearInterval(timer);
};
