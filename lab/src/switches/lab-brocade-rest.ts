import { type BrocadeExtra, type BrocadeInterface, type BrocadeModel, NosError } from './brocade-model.ts';
import type { LabHttpRequest, LabHttpResponse } from './lab-http-server.ts';
import { vlansOf, vlanText } from './vlan-text.ts';
import { escape, parse, type Xml } from './lab-xml.ts';

const root = '/rest/config/running/interface';
const monitor = '/rest/config/running/monitor/session';
const type = 'application/vnd.configuration.resource+xml';

const created: LabHttpResponse = { status: 201 };
const done: LabHttpResponse = { status: 204 };
const fault = (status: number, tag: string, message: string): LabHttpResponse => ({
  status,
  type,
  body: `<errors xmlns="http://brocade.com/ns/rest">\r\n  <error>\r\n    <error-type>application</error-type>\r\n    <error-tag>${tag}</error-tag>\r\n    <error-message>${escape(message)}</error-message>\r\n  </error>\r\n</errors>\r\n`,
});
const missing = fault(404, 'data-missing', 'Resource not found');

/** The REST interface of Network OS, as far as interfaces and VLANs are concerned, for ports of one kind. */
export const brocadeRest = (model: BrocadeModel, kind: string, listsNamesOnly: boolean) => {
  let copies = 0;

  return (asked: LabHttpRequest): LabHttpResponse => {
    try {
      if (asked.path.startsWith('/rest/operations/')) return operate(asked);
      if (asked.path === monitor && asked.method === 'GET')
        return model.mirrors.size === 0 ? missing : listed([...model.mirrors.values()]);
      if (asked.path === root && asked.method === 'POST') return createVlan(asked.body);
      if (asked.path === `${root}/Vlan` && asked.method === 'GET')
        return listed([...model.vlans].map((vlan) => element('Vlan', String(vlan), `${vlan}`, '')));
      if (asked.path === `${root}/${kind}` && asked.method === 'GET')
        return list(listsNamesOnly ? 1 : Number(asked.header('resource-depth') ?? 3));
      const [, name, resource = ''] = new RegExp(`^${root}/${kind}/%22([\\d/]+)%22(/.+)?$`).exec(asked.path) ?? [];
      if (name === undefined) return missing;
      const port = model.interfaces.get(name);
      if (!port) return missing;
      if (asked.method === 'GET' && resource === '') return listed([shown(name, port, 64)]);
      return change(asked, name, port, resource);
    } catch (error) {
      if (error instanceof NosError) return fault(400, 'invalid-value', error.message);
      throw error;
    }
  };

  function operate({ path, method }: LabHttpRequest): LabHttpResponse {
    if (method !== 'POST') return missing;
    const output = (inside: string): LabHttpResponse => ({
      status: 200,
      type: 'application/vnd.operations.resource+xml',
      body: `<output xmlns='urn:brocade.com:mgmt:brocade-ras'>\r\n${inside}</output>\r\n`,
    });
    if (path.endsWith('/bna-config-cmd'))
      return output(`  <session-id>${++copies}</session-id>\r\n  <status>in-progress</status>\r\n`);
    if (path.endsWith('/bna-config-cmd-status'))
      return output(`  <session-id>${copies}</session-id>\r\n  <status>completed</status>\r\n`);
    return missing;
  }

  function createVlan(body: string): LabHttpResponse {
    const name = leaf(body, 'Vlan', 'name');
    if (name === undefined) return fault(400, 'malformed-message', 'unknown element');
    if (model.vlans.has(Number(name))) return fault(409, 'data-exists', `object already exists: Vlan ${name}`);
    model.createVlan(Number(name));
    return created;
  }

  function change(
    { method, body }: LabHttpRequest,
    name: string,
    port: BrocadeInterface,
    resource: string,
  ): LabHttpResponse {
    switch (`${method} ${resource}`) {
      case 'POST ':
        if (leaf(body, 'switchport') === undefined) return fault(400, 'malformed-message', 'unknown element');
        if (port.switchport) return fault(409, 'data-exists', 'object already exists: switchport');
        model.change(name, (one) => (one.switchport = true));
        return created;
      case 'PUT /shutdown':
        if (leaf(body, 'shutdown') !== 'true') return fault(400, 'invalid-value', 'not a valid value.');
        model.change(name, (one) => (one.shutdown = true));
        return done;
      case 'DELETE /shutdown':
        if (!port.shutdown) return missing;
        model.change(name, (one) => (one.shutdown = false));
        return done;
      case 'PUT /switchport/mode':
        model.enterMode(name, leaf(body, 'mode', 'vlan-mode') ?? '');
        return done;
      case 'DELETE /switchport/access/vlan':
        if (port.accessVlan === null) return missing;
        model.change(name, (one) => (one.accessVlan = null));
        return done;
      default:
        return port.switchport && port.mode === 'trunk' ? changeTrunk(method, body, name, port, resource) : missing;
    }
  }

  function changeTrunk(
    method: string,
    body: string,
    name: string,
    port: BrocadeInterface,
    resource: string,
  ): LabHttpResponse {
    switch (`${method} ${resource}`) {
      case 'DELETE /switchport/trunk/tag/native-vlan':
        if (!port.tagNative) return missing;
        model.change(name, (one) => (one.tagNative = false));
        return done;
      case 'DELETE /switchport/trunk/native-vlan':
        if (port.nativeVlan === null) return missing;
        model.change(name, (one) => (one.nativeVlan = null));
        return done;
      case 'PUT /switchport/trunk/native-vlan': {
        const vlan = Number(leaf(body, 'native-vlan'));
        model.requireVlan(vlan);
        if (port.allowed.has(vlan)) throw new NosError(`%Error: VLAN ${vlan} is already allowed on the trunk`);
        model.change(name, (one) => (one.nativeVlan = vlan));
        return done;
      }
      case 'PUT /switchport/trunk/allowed/vlan':
        return allow(body, name);
      default:
        return missing;
    }
  }

  function allow(body: string, name: string): LabHttpResponse {
    if (leaf(body, 'vlan', 'none') === 'true')
      model.change(name, (one) => {
        one.allowed = new Set();
        one.allowsAll = false;
      });
    else if (leaf(body, 'vlan', 'all') === 'true') model.change(name, (one) => (one.allowsAll = true));
    else {
      const text = leaf(body, 'vlan', 'add') ?? leaf(body, 'vlan', 'remove') ?? '';
      const vlans = text.length > 253 ? null : vlansOf(text);
      if (!vlans) return fault(400, 'invalid-value', `"${text}" is not a valid value.`);
      const isAdded = leaf(body, 'vlan', 'add') !== undefined;
      for (const vlan of vlans) {
        model.requireVlan(vlan);
        if (isAdded && model.interfaces.get(name)?.nativeVlan === vlan)
          throw new NosError(`%Error: VLAN ${vlan} is the native VLAN of the trunk`);
      }
      model.change(name, (one) => {
        for (const vlan of vlans)
          if (isAdded) one.allowed.add(vlan);
          else one.allowed.delete(vlan);
      });
    }
    return done;
  }

  /** Below the depth that is asked for, an interface is no more than its name. */
  function list(depth: number): LabHttpResponse {
    return listed([...model.interfaces].map(([name, port]) => shown(name, port, depth)));
  }

  function shown(name: string, port: BrocadeInterface, depth: number): string {
    const path = `%22${name}%22`;
    return element(kind, path, name, depth < 6 ? '' : insideOf(port, `${root}/${kind}/${path}`));
  }
};

/** Lists come as elements side by side, each a root of its own. */
const listed = (elements: readonly string[]): LabHttpResponse => ({ status: 200, type, body: elements.join('') });

const element = (kind: string, key: string, name: string, inside: string): string =>
  `<${kind} xmlns="urn:brocade.com:mgmt:brocade-interface" xmlns:y="http://brocade.com/ns/rest" y:self="${root}/${kind}/${key}">\r\n  <name>${name}</name>\r\n${inside}</${kind}>\r\n`;

const insideOf = (port: BrocadeInterface, self: string): string => {
  const vlan = port.allowsAll ? '<all>true</all>' : '<all>false</all>';
  const more = (inside: BrocadeExtra['inside']): string =>
    port.extras.map((extra) => (extra.inside === inside ? extra.xml : '')).join('');
  const added = port.allowed.size === 0 ? '' : `<add>${vlanText(port.allowed)}</add>`;
  const switchport = `
  <switchport>true</switchport>
  <switchport y:self="${self}/switchport">
    <mode y:self="${self}/switchport/mode"><vlan-mode>${port.mode}</vlan-mode></mode>
    <access y:self="${self}/switchport/access">${port.accessVlan === null ? '' : `<vlan>${port.accessVlan}</vlan>`}${more('access')}</access>
    <trunk y:self="${self}/switchport/trunk">
      <allowed y:self="${self}/switchport/trunk/allowed">
        <rspan-vlan y:self="${self}/switchport/trunk/allowed/rspan-vlan"/>
        <vlan y:self="${self}/switchport/trunk/allowed/vlan">${vlan}<none>false</none>${added}</vlan>
      </allowed>
      <tag y:self="${self}/switchport/trunk/tag"><native-vlan>${String(port.tagNative)}</native-vlan></tag>
      ${port.nativeVlan === null ? '' : `<native-vlan>${port.nativeVlan}</native-vlan>`}${more('trunk')}
    </trunk>
  </switchport>`;
  return `  <mtu>9216</mtu>
  <fabric xmlns="urn:brocade.com:mgmt:brocade-fcoe" y:self="${self}/fabric">
    <isl y:self="${self}/fabric/isl"><enable>true</enable></isl>
    <trunk y:self="${self}/fabric/trunk"><enable>true</enable></trunk>
  </fabric>
  <priority-tag>false</priority-tag>
  <port-security y:self="${self}/port-security"/>${more('interface')}${port.switchport ? switchport : ''}
  <spanning-tree xmlns="urn:brocade.com:mgmt:brocade-xstp" y:self="${self}/spanning-tree">
    <shutdown>false</shutdown>
  </spanning-tree>
  <shutdown>${String(port.shutdown)}</shutdown>
`;
};

/** The text of an element in a request; undefined if it is not there. */
const leaf = (body: string, ...path: readonly string[]): string | undefined => {
  let inside = parse(body);
  let found: Xml | undefined;
  for (const name of path) {
    found = inside.find((element) => element.name === name);
    inside = found?.children ?? [];
  }
  return found?.children.length === 0 ? found.text : undefined;
};
