import { Type } from '@sinclair/typebox';
import type { Refusal } from '../switch-contract.ts';
import { shown } from '../../../schema/shown-fields.ts';

/** The kind of a switch's ports, as its own configuration writes it. */
export const InterfaceType = shown(
  Type.String({
    maxLength: 64,
    pattern: '^[A-Za-z][A-Za-z-]*$',
    description: 'the kind of the ports, like "TenGigabitEthernet"',
  }),
);

/** `1/0/5` or `1/5`: two or three numbers, without the kind of the port, which is a field of the switch. */
export const slashedPortName = (name: string): string | Refusal =>
  /^\d{1,4}\/\d{1,4}(?:\/\d{1,4})?$/.test(name)
    ? name.split('/').map(Number).join('/')
    : { refused: 'ports of this switch are named like 1/0/5 or 1/5' };
