import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adminPassword, serviceForTest } from '../../service/test/support/services/service.ts';
import { done, makeProject, obmd } from '../../service/test/support/services/world.ts';
import { smallSite } from './support/cli-service.ts';
import { keys, terminalForTest } from './support/terminal.ts';

/** A terminal of an administrator with a document of a small site. */
const scene = async () => {
  const service = await serviceForTest('sqlite');
  const terminal = await terminalForTest({
    CORRAL_ENDPOINT: service.url,
    CORRAL_USERNAME: 'admin',
    CORRAL_PASSWORD: adminPassword,
  });
  const file = join(terminal.home, 'site.yaml');
  await writeFile(file, smallSite);
  await writeFile(join(terminal.home, 'pw'), 'a secret of the site\n');
  return { service, terminal, file };
};

describe('corral apply at a terminal', () => {
  it('shows the plan, asks, draws a bar, and leaves only what was done', async () => {
    const { service, terminal, file } = await scene();
    const applying = terminal.corral(`apply ${file}`);
    await applying.shows(/make these \d+ calls to http\S+\? \[y\/N\]:/);
    expect((await service.admin.get('/projects')).body).toEqual([]);
    applying.type(`y${keys.enter}`);
    expect(await applying.exit()).toBe(0);
    expect(applying.written()).toMatch(/█+[^]*\d+\/\d+/);
    expect(applying.screen()).not.toMatch(/[█░]/);
    expect(applying.screen()).toMatch(/\[y\/N\]: y\n✓ http\S+ now matches/);
    expect((await service.admin.get('/projects')).body).toEqual(['blue', 'red']);
    const again = terminal.corral(`apply ${file}`);
    expect(await again.exit()).toBe(0);
    expect(again.screen()).toContain('nothing to do');
  });

  it('goes on where somebody else was quicker, with the plan that was agreed to', async () => {
    const { service, terminal, file } = await scene();
    const applying = terminal.corral(`apply ${file}`);
    await applying.shows('[y/N]');
    await makeProject(service, 'red');
    applying.type(`y${keys.enter}`);
    expect(await applying.exit()).toBe(0);
    const again = terminal.corral(`apply ${file}`);
    expect(await again.exit()).toBe(0);
    expect(again.screen()).toContain('nothing to do');
  });

  it('stops where somebody else made it otherwise: that was not agreed to', async () => {
    const { service, terminal, file } = await scene();
    const applying = terminal.corral(`apply ${file}`);
    await applying.shows('[y/N]');
    await done(service.admin.put('/node/n1', { obmd }));
    applying.type(`y${keys.enter}`);
    expect(await applying.exit()).toBe(1);
    // Wrapped between words, wherever the terminal ends.
    expect(applying.written()).toMatch(/node\s+n1\s+already\s+exists/);
    expect((await service.admin.get('/node/n1')).body).toMatchObject({ metadata: {}, nics: [] });
  });

  it.each([
    ['no', `n${keys.enter}`, 2],
    ['nothing', keys.enter, 2],
    ['Ctrl-D', keys.end, 2],
    ['Ctrl-C', keys.interrupt, 130],
  ])('changes nothing if the answer is %s', async (_answer, typed, code) => {
    const { service, terminal, file } = await scene();
    const applying = terminal.corral(`apply ${file}`);
    await applying.shows('[y/N]:');
    applying.type(typed);
    expect(await applying.exit()).toBe(code);
    expect((await service.admin.get('/projects')).body).toEqual([]);
  });
});
