import { childrenOf, type Element, escapeXml } from '@corral/base/xml';
import type { Edit } from '@corral/base/libvirt/libvirt-xml';

/**
 * A domain says what it boots from in one of two ways: kinds of devices, in its `os` element, or a number in each
 * device. libvirt takes no mixture.
 */
export interface BootStyle {
  readonly isByDevice: boolean;
  /** What it boots from, the first first: kinds, or devices by a name of ours. */
  readonly order: readonly string[];
  /** What stands for each boot device, the best first. */
  readonly candidates: Readonly<Record<'pxe' | 'disk', readonly string[]>>;
}

export const bootStyleOf = (domain: Element): BootStyle => {
  const devices = bootableIn(domain);
  const ordered = devices.filter(({ boot }) => boot?.attributes['order'] !== undefined);
  if (ordered.length === 0) {
    const kinds = bootsOf(domain).map(({ attributes }) => attributes['dev'] ?? '');
    return { isByDevice: false, order: kinds, candidates: { pxe: ['network'], disk: ['hd'] } };
  }
  const named = (kind: string): readonly string[] => devices.filter((one) => one.kind === kind).map(({ key }) => key);
  const order = ordered.sort((a, b) => orderOf(a) - orderOf(b)).map(({ key }) => key);
  return { isByDevice: true, order, candidates: { pxe: named('interface'), disk: named('disk') } };
};

/** What to change in the text so that the domain boots in this order. */
export const applyOrder = (domain: Element, style: BootStyle, wanted: readonly string[]): readonly Edit[] => {
  if (wanted.join(' ') === style.order.join(' ')) return [];
  return style.isByDevice ? deviceEdits(domain, wanted) : kindEdits(domain, wanted);
};

const kindEdits = (domain: Element, wanted: readonly string[]): readonly Edit[] => {
  const [os] = childrenOf(domain, 'os');
  if (!os) return [];
  const text = wanted.map((kind) => `<boot dev='${kind}'/>`).join('');
  const boots = bootsOf(domain);
  const place = boots[0]?.start ?? os.inside;
  return [
    { start: place, end: boots[0]?.end ?? place, text },
    ...boots.slice(1).map(({ start, end }) => ({ start, end, text: '' })),
  ];
};

const deviceEdits = (domain: Element, wanted: readonly string[]): readonly Edit[] =>
  bootableIn(domain).flatMap(({ key, element, boot }): readonly Edit[] => {
    const place = wanted.indexOf(key) + 1;
    if (place === 0) return boot ? [{ start: boot.start, end: boot.end, text: '' }] : [];
    const others = Object.entries(boot?.attributes ?? {}).filter(([name]) => name !== 'order');
    const rest = others.map(([name, value]) => ` ${name}='${escapeXml(value)}'`).join('');
    const text = `<boot order='${place}'${rest}/>`;
    return [boot ? { start: boot.start, end: boot.end, text } : { start: element.inside, end: element.inside, text }];
  });

/** A device that a machine can boot from. */
export interface Bootable {
  /** Ours: it stays the same when other devices come and go. */
  readonly key: string;
  readonly kind: string;
  readonly element: Element;
  readonly boot: Element | undefined;
}

export const bootableIn = (domain: Element): Bootable[] =>
  childrenOf(domain, 'devices')
    .flatMap(({ children }) => children)
    .filter(({ name, inside, end }) => ['disk', 'interface', 'hostdev', 'redirdev'].includes(name) && inside < end)
    .map((element, index) => {
      const isDrive = element.name === 'disk' && !['disk', 'lun', undefined].includes(element.attributes['device']);
      const own =
        childrenOf(element, 'mac')[0]?.attributes['address'] ?? childrenOf(element, 'target')[0]?.attributes['dev'];
      const key = `${element.name}-${own ?? index}`.replaceAll(/[^\w.:-]/g, '_');
      return { key, kind: isDrive ? 'drive' : element.name, element, boot: childrenOf(element, 'boot')[0] };
    });

const bootsOf = (domain: Element): readonly Element[] => childrenOf(childrenOf(domain, 'os')[0], 'boot');

const orderOf = ({ boot }: Bootable): number => Number(boot?.attributes['order']);
