import { childrenOf, type Element } from '@corral/base/xml';
import { deviceRules, domainRules, osRules, type Rules } from './template-rules.ts';

/** At most this many are reported. */
const mostTold = 10;

/** What stands in the definition of a domain and may not stand in a template, one sentence each. */
export const objectionsTo = (domain: Element): readonly string[] => {
  const [os] = childrenOf(domain, 'os');
  const [devices] = childrenOf(domain, 'devices');
  const found = [
    ...objectionsIn(domain, domainRules),
    ...(os ? objectionsIn(os, osRules) : []),
    ...(devices ? objectionsIn(devices, deviceRules) : []),
  ];
  return found.slice(0, mostTold);
};

const objectionsIn = ({ children }: Element, rules: Rules): readonly string[] =>
  children.flatMap((element): readonly string[] => {
    const rule = Object.hasOwn(rules, element.name) ? rules[element.name] : undefined;
    const wrong = rule ? rule(element) : 'it is not allowed in a template';
    return wrong === null ? [] : [`${shown(element)}: ${wrong}`];
  });

/** As an operator finds it in the definition; no values that could be paths or secrets. */
const shown = ({ name, attributes }: Element): string => {
  const told = ['type', 'device', 'model'].flatMap((key) => {
    const value = attributes[key];
    return value !== undefined && /^[\w-]{1,32}$/.test(value) ? [` ${key}='${value}'`] : [];
  });
  return `<${name.slice(0, 64)}${told.join('')}>`;
};
