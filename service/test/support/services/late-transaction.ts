import { join } from 'node:path';
import { sealWith } from '@corral/base/secrets/sealing';
import Libsql from 'libsql';
import pg from 'pg';
import { ringOf } from './key-rotation.ts';
import type { Service } from './service.ts';

/** A transaction that sealed something before a rotation began, and stores it when it is well under way. */
export interface LateTransaction {
  readonly straggle: () => Promise<unknown>;
  readonly commit: () => Promise<unknown>;
}

export const lateTransaction = async (service: Service): Promise<LateTransaction> => {
  const sealed = sealWith(ringOf(service).keys[0], '{"hostname": "late", "username": "u", "password": "p"}');
  const insert = `insert into switches (label, type, config) values ('straggler', 'mock', '${sealed}')`;
  const url = service.env['CORRAL_DATABASE_URL'];
  if (url === undefined) {
    const database = new Libsql(join(service.dataDir, 'corral.db'));
    database.exec('begin immediate');
    return {
      straggle: () => Promise.resolve(database.exec(insert)),
      commit: () => {
        database.exec('commit');
        database.close();
        return Promise.resolve();
      },
    };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin isolation level serializable');
  return {
    straggle: () => client.query(insert),
    commit: async () => {
      await client.query('commit');
      await client.end();
    },
  };
};
