import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasPart, startIpmiSim, startOvs } from '@corral/lab';
import { expect, it, onTestFinished } from 'vitest';
import { installCorral } from '../client/test/support/interactive.ts';
import { keys, type Session, terminalForTest } from '../client/test/support/terminal.ts';
import { eventually } from '../service/test/support/services/world.ts';
import { bundle, programOf } from './support/built-program.ts';
import { partsOf, unwrapped } from './support/first-lab.ts';

const { startProgram } = programOf('corral-service');
const bmcPassword = 'bmc-password';
const nodes = 5;
const looks = /^corral (?:drift|reach|(?:node|switch|network) (?:list|show|sweep))\b/;

/** Says yes to what is asked, and waits for the end. */
const answered = async (session: Session): Promise<string> => {
  let questions = 0;
  const answer = setInterval(() => {
    const asked = session.screen().split('[y/N]:').length - 1;
    if (asked > questions) session.type(`y${keys.enter}`);
    questions = asked;
  }, 20);
  await session.exit().finally(() => clearInterval(answer));
  return session.screen();
};

it.skipIf(!hasPart('Open vSwitch') || !hasPart('ipmi_sim'))(
  'docs/first-lab.md can be followed by the letter, and prints what it shows',
  { timeout: 300_000 },
  async () => {
    bundle(['corral-service', 'corral']);
    const ovs = await startOvs({ hosts: nodes });
    onTestFinished(() => ovs.stop());
    const bmcs = await Promise.all(
      Array.from({ length: nodes }, () => startIpmiSim({ user: 'corral', pass: bmcPassword })),
    );
    onTestFinished(async () => {
      await Promise.all(bmcs.map((bmc) => bmc.stop()));
    });

    const terminal = await terminalForTest();
    const { home } = terminal;
    const bin = await installCorral(home);
    await writeFile(join(bin, 'ovs-vsctl'), `#!/bin/sh\nexec /usr/bin/ovs-vsctl --db=unix:${ovs.socket} "$@"\n`);
    await chmod(join(bin, 'ovs-vsctl'), 0o755);

    const start = () =>
      startProgram({ CORRAL_CONFIG: join(home, 'corral.toml'), CORRAL_DATA_DIR: join(home, 'data'), ...ports });
    // The second start is in the same place as the first.
    let ports: Record<string, string> = { CORRAL_PORT: '0', CORRAL_OBMD: '127.0.0.1:0' };
    let daemon = '127.0.0.1:0';
    let service: Awaited<ReturnType<typeof start>> | null = null;
    onTestFinished(async () => {
      await service?.kill('SIGKILL');
    });

    /** What the page calls otherwise than this machine does. */
    const here = (text: string): string => {
      let own = text
        .replaceAll('http://127.0.0.1:5000', service?.url ?? '')
        .replaceAll('127.0.0.1:8080', daemon)
        .replaceAll('/home/you', home)
        .replaceAll('unix:/var/run/openvswitch/db.sock', `unix:${ovs.socket}`);
      for (const [index, { addr, port }] of bmcs.entries())
        own = own.replaceAll(`addr: 10.30.0.${index + 1},`, `addr: ${addr}, port: ${port},`);
      return own;
    };
    const orders: Readonly<Record<string, () => Promise<unknown>>> = {
      'kill ovs-vswitchd': () => ovs.kill('ovs-vswitchd'),
      'start ovs-vswitchd': () => ovs.start('ovs-vswitchd'),
      'hang bmc 1': async () => bmcs[0]?.hang(),
      'recover bmc 1': async () => bmcs[0]?.recover(),
      'kill service': async () => {
        await service?.kill('SIGKILL');
        service = await start();
      },
    };

    const run = (command: string): Promise<string> =>
      answered(terminal.run('/bin/sh', ['-c', `cd ~ && PATH="${bin}:$PATH" && ${here(command)}`]));

    const page = await readFile(new URL('../docs/first-lab.md', import.meta.url), 'utf8');
    for (const part of partsOf(page)) {
      if (part.kind === 'file') {
        await writeFile(join(home, part.name), here(part.text));
        if (part.name !== 'corral.toml') continue;
        service = await start();
        const { output, url } = service;
        daemon = await eventually(() => /The OBM daemon is ready at http:\/\/(\S+)/.exec(output.join('\n'))?.[1]);
        ports = { CORRAL_PORT: new URL(url).port, CORRAL_OBMD: daemon };
      } else if (part.kind === 'order') {
        expect(Object.keys(orders)).toContain(part.order);
        await orders[part.order]?.();
      } else {
        const shown = here(part.shown);
        let printed = await run(part.command);
        // What only looks is done again: what it waits for is queued.
        for (
          let tries = 0;
          unwrapped(printed) !== unwrapped(shown) && looks.test(part.command) && tries < 10;
          tries += 1
        )
          printed = await run(part.command);
        if (unwrapped(printed) !== unwrapped(shown))
          expect(`$ ${part.command}\n${printed}`).toBe(`$ ${part.command}\n${shown}`);
      }
    }
  },
);
