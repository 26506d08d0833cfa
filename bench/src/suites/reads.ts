import { startsOf, withNodes } from '../installation.ts';
import { compareReads, showNodePaths } from '../reads.ts';
import { limitFigure, processorFigure, type Results, throughputFigure } from '../report.ts';

const nodes = 10_000;

/** Reads on a site of 10,000 nodes, beside a bare Fastify with the same bytes; start and memory. */
export const measure = (): Promise<Results> =>
  withNodes(nodes, async (installation, service) => {
    const show = await compareReads(installation, service, showNodePaths(nodes));
    const list = await compareReads(installation, service, ['/v0/nodes/free']);
    const afterLoad = service.memory();
    await service.stop();
    const { readyMs, memoryMb } = await startsOf(installation);
    return {
      figures: [
        throughputFigure('show_node', show.corral, show.bare, 0.5),
        processorFigure('show_node, processor time', show.corral, show.bare, 0.6),
        throughputFigure('list of 10,000 free nodes', list.corral, list.bare, 0.5),
        processorFigure('list of 10,000, processor time', list.corral, list.bare, 0.7),
        limitFigure('memory after that load', afterLoad, 150, 'MB'),
        limitFigure('memory after start', memoryMb, 110, 'MB'),
        limitFigure('start to ready', readyMs, 600, 'ms'),
      ],
    };
  });
