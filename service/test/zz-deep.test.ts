import { it } from 'vitest';
import { serviceForTest } from './support/service.ts';
import { makeNode } from './support/world.ts';
it('x', async () => {
  const s = await serviceForTest('postgres');
  await makeNode(s, 'n1');
  for (const depth of [100, 5000, 100000, 400000]) {
    const a = await s.admin.send('PUT', '/node/n1/metadata/a', { body: `{"value":${'['.repeat(depth)}${']'.repeat(depth)}}` });
    console.log(depth, a.status, a.text.slice(0, 200));
    const b = await s.admin.get('/node/n1'); console.log(b.status, b.text.length);
  }
  for (const v of ['"\\u0000"', '"\\ud800"', '1e400', '-0', '1.0000000000000000001']) {
    const a = await s.admin.send('PUT', '/node/n1/metadata/a', { body: `{"value":${v}}` });
    console.log(v, a.status, a.text.slice(0, 200));
    const b = await s.admin.get('/node/n1'); console.log(b.status, b.text);
  }
});
