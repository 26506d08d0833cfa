import { cpus } from 'node:os';
import { attachFleet } from './fleet/attach-fleet.ts';
import { isQuick, say } from './options.ts';
import { tableOf } from './report.ts';

/** 1,000 nodes on 50 switches. `--quick`: a tenth of it. */
const size = isQuick ? { switches: 10, portsPerSwitch: 10 } : { switches: 50, portsPerSwitch: 20 };

say(`fleet: Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`);
const figures = await attachFleet(size);
process.stdout.write(`\n${tableOf(figures)}\n`);
if (figures.some(({ isMet }) => isMet === false)) process.exitCode = 1;
