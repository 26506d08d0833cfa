import { attachFleet } from '../fleet/attach-fleet.ts';
import { isQuick } from '../options.ts';
import type { Results } from '../report.ts';

/** 1,000 nodes on 50 switches. `--quick`: a tenth of it. */
const size = isQuick ? { switches: 10, portsPerSwitch: 10 } : { switches: 50, portsPerSwitch: 20 };

/** A whole site attached at once, beside a perfect scheduler. */
export const measure = async (): Promise<Results> => ({ figures: await attachFleet(size) });
