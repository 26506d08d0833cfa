#!/usr/bin/env node
import { runAdmin } from './admin/run-admin.ts';

// What it writes is nobody else's.
process.umask(0o077);
void runAdmin(
  process.argv.slice(2),
  process.env,
  {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    isLive: process.stderr.isTTY,
  },
  process.stdin,
).then((code) => (process.exitCode = code));
