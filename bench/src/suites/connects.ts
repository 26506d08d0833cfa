import { actionFigures } from '../action-latency.ts';
import { besideBadSwitches, connectAll } from '../connects.ts';
import { createInstallation, withNodes } from '../installation.ts';
import { startPostgres } from '../postgres/postgres-server.ts';
import { type Figure, increaseFigure, type Results } from '../report.ts';

/** Single changes on idle switches, networks connected on many ports at once, alone and beside bad switches. */
export const measure = async (): Promise<Results> => {
  const figures = await withNodes(1_000, async (installation, service) => {
    const latencies = await actionFigures(installation, service, 'SQLite');
    const { seconds, serialSeconds } = await connectAll(installation, service.url);
    const { alone, beside } = await besideBadSwitches(installation, service.url);
    return [
      ...latencies,
      increaseFigure('200 connects, 4 switches of 50 ms', [seconds, serialSeconds], 's', 0.05),
      increaseFigure('7 switches beside 3 bad ones', [beside, alone], 's', 1.25),
    ];
  });
  return { figures: [...figures, ...(await onPostgres())] };
};

/** How long a flush takes is the database's and the disk's matter: `postgres` compares with pgbench. */
const onPostgres = async (): Promise<Figure[]> => {
  const server = await startPostgres('memory');
  const installation = await createInstallation({ CORRAL_DATABASE_URL: server.url });
  try {
    const service = await installation.start();
    try {
      return await actionFigures(installation, service, 'PostgreSQL in memory');
    } finally {
      await service.stop();
    }
  } finally {
    await installation.remove();
    await server.stop();
  }
};
