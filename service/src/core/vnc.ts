import type { Endpoint } from '../drivers/hypervisors/contract.ts';
import { illegalState } from './errors.ts';
import { findOwnHeadnode, type HeadnodeArgs, onHypervisor, talking } from './headnodes.ts';
import type { Desk } from './op.ts';

/** A way to something that listens where the caller cannot reach it. */
export class Tunnel {
  readonly to: Endpoint;

  constructor(to: Endpoint) {
    this.to = to;
  }
}

/** The screen of a running headnode, so that nobody but this service has to reach the hypervisor. */
export const headnodeVnc = async (desk: Desk, args: HeadnodeArgs): Promise<Tunnel> => {
  const { label, uuid, state, making, project } = await desk.read((op) => findOwnHeadnode(op, args.headnode));
  const isRunning = state === 'started' && making === 0;
  const look = () =>
    desk.devices.change(onHypervisor(project), (devices) => talking(devices, ({ hypervisor }) => hypervisor.vnc(uuid)));
  const endpoint = isRunning ? await look() : null;
  if (endpoint === null) throw illegalState(`headnode ${label} is not running, so it has no screen; start it first`);
  return new Tunnel(endpoint);
};
