import { it } from 'vitest';
import { serviceForTest } from './support/service.ts';
import { done, obmd } from './support/world.ts';
it('probe', async () => {
  const service = await serviceForTest('sqlite');
  await done(service.admin.put('/node/n', { obmd }));
  for (const depth of [100, 1000, 3000, 5000, 7000, 100000, 400000]) {
    const put = await service.admin.send('PUT', '/node/n/metadata/a', { body: `{"value": ${'['.repeat(depth)}${']'.repeat(depth)}}` });
    const get = await service.admin.get('/node/n');
    console.log(depth, put.status, put.text.slice(0, 100), get.status, get.text.slice(0, 60));
  }
  const reg = await service.admin.send('PUT', '/node/m', { body: `{"obmd": ${'{"a":'.repeat(100000)}1${'}'.repeat(100000)}}` });
  console.log(reg.status, reg.text.slice(0, 100));
  const inf = await service.admin.send('PUT', '/node/n/metadata/a', { body: '{"value": 1e999}' });
  console.log(inf.status, (await service.admin.get('/node/n')).text);
});
