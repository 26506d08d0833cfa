import { AllowList } from '@corral/base/http/allow-list';
import { Outbound, type Resolve } from '@corral/base/http/outbound';

const setting = 'obmd.outbound_allow';

/** Where connections may go if nobody says anything about it. */
export const anywhere = new Outbound({ setting });

/** Every name is at these addresses. */
export const everyNameAt =
  (...addresses: readonly string[]): Resolve =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

/** Only to what the list names; where names are, the test says. */
export const onlyTo = (allow: readonly string[], resolve: Resolve): Outbound =>
  new Outbound({
    allow: AllowList.from(allow, (entry) => {
      throw new Error(`${entry} is no entry`);
    }),
    setting,
    resolve,
  });
