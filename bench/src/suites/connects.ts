import { besideBadSwitches, connectAll } from '../connects.ts';
import { withNodes } from '../installation.ts';
import { increaseFigure, type Results } from '../report.ts';

/** Networks connected on many ports at once, alone and beside switches that misbehave. */
export const measure = (): Promise<Results> =>
  withNodes(1_000, async (installation, service) => {
    const { seconds, serialSeconds } = await connectAll(installation, service.url);
    const { alone, beside } = await besideBadSwitches(installation, service.url);
    return {
      figures: [
        increaseFigure('200 connects, 4 switches of 50 ms', [seconds, serialSeconds], 's', 0.05),
        increaseFigure('7 switches beside 3 bad ones', [beside, alone], 's', 1.25),
      ],
    };
  });
