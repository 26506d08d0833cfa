#!/usr/bin/env node
import { accessSync, constants as access, chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/*
 * What is installed under a program's name. The program is the bundle beside it, with the ending `.cjs`. To compile
 * that takes a third of a start, so the first process that may write there stores what V8 compiled, and later ones begin
 * with it. Without the stored code, or with one that does not fit, a program starts as always.
 */

/** In the program's own folder and nowhere else: who can change the stored code can change the program too. */
const program = fileURLToPath(import.meta.url).replace(/\.js$/, '.cjs');
const storedCode = `${program}.cache`;

/** By then a service has started, and what a start needs is compiled. V8 forgets it later, when it is not used. */
const startedAfterMs = 3_000;

/** Before the code: checksums of the program and the code, and whether a whole start is in it. V8 checks its version. */
const headerBytes = 9;

interface StoredCode {
  readonly code: Buffer;
  readonly isWhole: boolean;
}

const readCode = (source: Buffer): StoredCode | null => {
  try {
    const bytes = readFileSync(storedCode);
    const code = bytes.subarray(headerBytes);
    const isIntact = bytes.readUInt32LE(0) === crc32(source) && bytes.readUInt32LE(4) === crc32(code);
    return isIntact ? { code, isWhole: bytes.readUInt8(8) === 1 } : null;
  } catch {
    return null;
  }
};

/** Nobody reads half of it. A folder that cannot be written, or a full disk, is no reason to say anything. */
const writeCode = (source: Buffer, script: Script, isWhole: boolean): void => {
  const written = `${storedCode}.${process.pid}`;
  try {
    accessSync(dirname(program), access.W_OK);
    const code = script.createCachedData();
    const header = Buffer.alloc(headerBytes);
    header.writeUInt32LE(crc32(source), 0);
    header.writeUInt32LE(crc32(code), 4);
    header.writeUInt8(isWhole ? 1 : 0, 8);
    writeFileSync(written, Buffer.concat([header, code]), { flag: 'wx' });
    chmodSync(written, 0o644);
    renameSync(written, storedCode);
  } catch {
    rmSync(written, { force: true });
  }
};

const compile = (): Script => {
  const source = readFileSync(program);
  const stored = readCode(source);
  // As Node wraps a module, and in the same lines.
  const body = source.toString().replace(/^#!/, '//');
  const text = `(function (exports, require, module, __filename, __dirname) {${body}\n})`;
  const script = new Script(text, {
    filename: program,
    ...(stored === null ? {} : { cachedData: stored.code }),
  });
  const isUsed = stored !== null && script.cachedDataRejected === false;
  if (isUsed && stored.isWhole) return script;
  const writeAtExit = (): void => {
    if (!isUsed) writeCode(source, script, false);
  };
  process.once('exit', writeAtExit);
  setTimeout(() => {
    process.off('exit', writeAtExit);
    writeCode(source, script, true);
  }, startedAfterMs).unref();
  return script;
};

// Code that V8 had stored cannot import what a setting names. This module can, from the same folder.
Reflect.set(globalThis, Symbol.for('corral.import'), (name: string): Promise<unknown> => import(name));

const require = createRequire(program);
// Only a module that Node loads itself has its source map read.
if (process.sourceMapsEnabled) require(program);
else {
  type Program = (exports: object, load: typeof require, module: object, file: string, folder: string) => void;
  const module = { exports: {} };
  const run = compile().runInThisContext() as Program;
  run(module.exports, require, module, program, dirname(program));
}
