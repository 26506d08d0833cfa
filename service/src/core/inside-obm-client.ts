import type { ObmAccess, ObmAdmin, ObmClient } from '../drivers/obm/obm-contract.ts';
import { insideAt, isInside } from './inside-address.ts';

/** Where the daemon inside the service is now, and the token by which its processes know each other. */
export interface InsidePlace {
  readonly url: string;
  readonly token: string;
}

/**
 * Calls for nodes of the daemon inside the service go to the process that has the BMCs at that moment; others go to the
 * address that the node has.
 */
export const insideObmClient = (
  inside: ObmClient,
  outside: ObmClient,
  locate: () => Promise<InsidePlace>,
): ObmClient => {
  const admin = async <T>(node: ObmAdmin, call: (obm: ObmClient, node: ObmAdmin) => Promise<T>): Promise<T> => {
    if (!isInside(node.uri)) return call(outside, node);
    const { url, token } = await locate();
    return call(inside, { uri: insideAt(url, node.uri), adminToken: token, isInside: true });
  };
  const access = async <T>(node: ObmAccess, call: (obm: ObmClient, node: ObmAccess) => Promise<T>): Promise<T> => {
    if (!isInside(node.uri)) return call(outside, node);
    const { url } = await locate();
    return call(inside, { ...node, uri: insideAt(url, node.uri), isInside: true });
  };
  return {
    createToken: (node, permit) => admin(node, (obm, at) => obm.createToken(at, permit)),
    destroyToken: (node, permit) => admin(node, (obm, at) => obm.destroyToken(at, permit)),
    registerBmc: (node, bmc, permit) => admin(node, (obm, at) => obm.registerBmc(at, bmc, permit)),
    showBmc: (node) => admin(node, (obm, at) => obm.showBmc(at)),
    listBmcs: (daemon) => admin(daemon, (obm, at) => obm.listBmcs(at)),
    deleteBmc: (node, permit) => admin(node, (obm, at) => obm.deleteBmc(at, permit)),
    testBmc: (node, permit) => admin(node, (obm, at) => obm.testBmc(at, permit)),
    powerOn: (node, permit) => access(node, (obm, at) => obm.powerOn(at, permit)),
    powerOff: (node, permit) => access(node, (obm, at) => obm.powerOff(at, permit)),
    powerCycle: (node, force, permit) => access(node, (obm, at) => obm.powerCycle(at, force, permit)),
    powerStatus: (node) => access(node, (obm, at) => obm.powerStatus(at)),
    setBootDevice: (node, device, permit) => access(node, (obm, at) => obm.setBootDevice(at, device, permit)),
    setNextBoot: (node, device, permit) => access(node, (obm, at) => obm.setNextBoot(at, device, permit)),
    console: (node, use, signal, permit) => access(node, (obm, at) => obm.console(at, use, signal, permit)),
  };
};
