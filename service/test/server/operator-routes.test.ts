import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeGroups } from '../../src/server/routes/all-routes.ts';
import { engines } from '../support/services/engines.ts';
import { type Service, startService } from '../support/services/service.ts';
import { connect, makeNetwork, makeNode, makeProject, reserve, settled } from '../support/services/world.ts';

describe.each(engines)('what an operator’s machines ask, on %s', (engine) => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(engine);
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    for (const node of ['n1', 'n2']) {
      await makeNode(service, node, ['eth0']);
      await reserve(service, 'red', node);
    }
  });
  afterAll(() => service.stop());

  const get = async (path: string) => {
    const response = await fetch(`${service.url}${path}`, { redirect: 'manual' });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  it('is healthy and ready', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await get('/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  });

  it('counts requests, actions by state and switch, leases and transactions', async () => {
    await connect(service, 'n1', 'eth0', 'net');
    service.simulated('sw0').faults = { refuse: ['n2/eth0'] };
    await settled(service, await service.admin.post('/node/n2/nic/eth0/connect_network', { network: 'net' }));
    await service.admin.post('/project/red');
    await service.admin.post('/no/such/call');
    const { status, text } = await get('/metrics');
    expect(status).toBe(200);
    for (const line of [
      /^corral_http_request_seconds_count\{method="POST",route="\/v0\/project\/:project",status="405"\} 1$/m,
      /^corral_http_request_seconds_count\{method="POST",route="unknown",status="404"\} 1$/m,
      /^corral_http_request_seconds_count\{method="PUT",route="\/v0\/project\/:project",status="200"\} 1$/m,
      /^corral_actions\{switch="sw0",status="ERROR"\} 1$/m,
      /^corral_action_seconds_count\{switch="sw0",status="DONE"\} 1$/m,
      /^corral_switch_lease\{switch="sw0",holder="[^"]+"\} 1$/m,
      new RegExp(`^corral_database_transactions_total\\{engine="${engine}",kind="write"\\} \\d+$`, 'm'),
      /^process_resident_memory_bytes \d+/m,
    ]) {
      expect(text).toMatch(line);
    }
  });

  it('shows the age of the queue while something waits', async () => {
    service.simulated('sw0').faults = { hang: true };
    const queued = await service.admin.post('/node/n2/nic/eth0/connect_network', { network: 'net' });
    const { text } = await get('/metrics');
    expect(text).toMatch(/^corral_queue_age_seconds\{switch="sw0"\} [\d.]+$/m);
    service.simulated('sw0').faults = {};
    await settled(service, queued);
  });

  it('describes every call in OpenAPI 3.1, made from the route list', async () => {
    const { text } = await get('/openapi.json');
    const document = JSON.parse(text) as {
      openapi: string;
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    expect(document.openapi).toBe('3.1.0');
    for (const { path, method } of routeGroups.flatMap(({ routes }) => routes)) {
      expect(document.paths[`/v0${path.replace(/:(\w+)/g, '{$1}')}`]).toHaveProperty(method.toLowerCase());
    }
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has a reference page that names every call and needs nothing from elsewhere', async () => {
    const { status, text, headers } = await get('/reference');
    expect(text).toContain('Who may call: Everybody.');
    expect(text).not.toContain('None');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const { name } of routeGroups.flatMap(({ routes }) => routes)) expect(text).toContain(`id="${name}"`);
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
  });
});
