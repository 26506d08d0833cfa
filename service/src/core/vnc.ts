import type { Endpoint } from '../drivers/hypervisors/hypervisor-contract.ts';
import { illegalState } from './corral-error.ts';
import { findOwnHeadnode, type HeadnodeArgs, onHypervisor, onHypervisorFailure } from './headnodes.ts';
import type { RequestContext } from './request-context.ts';

/** The VNC port of a running headnode. Only this service has to reach it. */
export interface VncPort extends Endpoint {
  /** Asked once it is connected: the port may have passed to another machine before that. */
  readonly isCurrent: () => Promise<boolean>;
}

/** Where the VNC port of a running headnode is. */
export const headnodeVnc = async (context: RequestContext, args: HeadnodeArgs): Promise<VncPort> => {
  const { label, uuid, state, making, project } = await context.read((op) => findOwnHeadnode(op, args.headnode));
  const isRunning = state === 'started' && making === 0;
  const look = () =>
    context.devices.change(onHypervisor(project), (devices) =>
      onHypervisorFailure(devices, ({ hypervisor }) => hypervisor.vnc(uuid)),
    );
  const endpoint = isRunning ? await look() : null;
  if (endpoint === null) throw illegalState(`headnode ${label} is not running, so it has no screen; start it first`);
  const isCurrent = async (): Promise<boolean> => {
    const now = await look();
    return now?.host === endpoint.host && now.port === endpoint.port;
  };
  return { ...endpoint, isCurrent };
};
