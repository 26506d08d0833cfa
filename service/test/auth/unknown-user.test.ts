import { verify } from '@node-rs/argon2';
import { describe, expect, it, vi } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { makeUser } from '../support/services/world.ts';

describe.each(engines)('a login on %s', (engine) => {
  const service = sharedService(engine);

  it('tells nobody whether there is such a user: one answer, and one hash of the same cost', async () => {
    await makeUser(service(), 'known-user');
    const refused = async (name: string) => {
      vi.mocked(verify).mockClear();
      const { status, text, headers } = await service().as(name, 'wrong').get('/projects');
      const checks = vi.mocked(verify).mock.calls.map(([hash]) => String(hash).split('$', 4).join('$'));
      return { status, text, challenge: headers.get('www-authenticate'), checks };
    };
    const known = await refused('known-user');
    expect(known).toMatchObject({
      status: 401,
      checks: [expect.stringMatching(/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+$/)],
    });
    expect(await refused('unknown-user')).toEqual(known);
  });
});
