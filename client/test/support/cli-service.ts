import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adminPassword, type Service } from '../../../service/test/support/services/service.ts';
import { type Shell, shellForTest } from './shell.ts';

/** A document with a bit of everything. */
export const smallSite = `projects: [red, blue]
users:
  ada: { is_admin: false, projects: [red], password_file: pw }
networks:
  lab: { owner: red, access: [red, blue] }
  campus: { owner: admin }
  uplink: { owner: admin, access: [blue], net_id: 3000 }
switches:
  sw:
    type: mock
    hostname: h
    username: u
    password_file: pw
    ports: [p1, p2, p3]
nodes:
  n1:
    obmd: { uri: 'http://127.0.0.1:9/node/n1', admin_token_file: pw }
    metadata: { rack: r1, slots: [1, 2] }
    nics:
      eth0: { macaddr: '52:54:00:00:00:01', switch: sw, port: p1 }
      eth1: { macaddr: '52:54:00:00:00:02', switch: sw, port: p2 }
`;

/** A shell of an administrator with a document in a file, and the secrets beside it. */
export interface SiteShell {
  readonly shell: Shell;
  readonly path: string;
  readonly write: (text: string) => Promise<void>;
  readonly edit: (change: (text: string) => string) => Promise<void>;
  readonly apply: (
    ...options: readonly string[]
  ) => Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
}

export const siteShell = async (service: Service, text = smallSite): Promise<SiteShell> => {
  const shell = await shellForTest({
    CORRAL_ENDPOINT: service.url,
    CORRAL_USERNAME: 'admin',
    CORRAL_PASSWORD: adminPassword,
  });
  const path = join(shell.home, 'site.yaml');
  await shell.file('pw', 'a secret of the site\n');
  await writeFile(path, text);
  return {
    shell,
    path,
    write: (next) => writeFile(path, next),
    edit: async (change) => writeFile(path, change(await readFile(path, 'utf8'))),
    apply: (...options) => shell(['apply', path, ...options].join(' ')),
  };
};
