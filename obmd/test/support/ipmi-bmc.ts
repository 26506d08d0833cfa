import { type IpmiSimOptions, startIpmiSim } from '@corral/lab';
import type { TestBmc } from './test-bmc.ts';

/** A real ipmi_sim. Its machine does not shut down when it is asked, which would come in the middle of the next test. */
export const startIpmiBmc = async (options: IpmiSimOptions = {}): Promise<TestBmc> => {
  const sim = await startIpmiSim({ pass: 'contract-secret', obeysShutdown: false, ...options });
  const info = { addr: sim.addr, port: sim.port, user: sim.user, pass: sim.pass };
  return {
    info,
    badSecret: { ...info, pass: 'not-the-secret' },
    power: () => sim.power(),
    setPower: (power) => sim.setPower(power),
    boots: () => sim.boots(),
    bootDevice: () => sim.bootDevice(),
    say: (text) => sim.say(text),
    typed: () => Promise.resolve(sim.typed().toString('latin1')),
    hang: () => sim.hang(),
    recover: () => sim.recover(),
    stop: () => sim.stop(),
  };
};
