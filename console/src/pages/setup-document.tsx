import { useQuery } from '@tanstack/react-query';
import { bmcTypes } from '../api/queries.ts';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { CopyText } from '../ui/copy-text.tsx';

const bmc = `    bmc:
      type: ipmi
      addr: 10.30.0.1
      user: corral
      password_file: secrets/bmc`;

const obmd = `    obmd:
      uri: https://obmd.example.org/node/node-1
      admin_token_file: secrets/obmd`;

const documentFor = (isInside: boolean): string => `projects: [astronomy]

users:
  vera:
    projects: [astronomy]
    password_file: secrets/vera

networks:
  sky: { owner: astronomy }

switches:
  tor-1:
    type: cisco-ios
    hostname: tor-1.example.org
    username: corral
    password_file: secrets/tor-1
    dummy_vlan: 998
    ports: [gi1/0/1, gi1/0/2]

nodes:
  node-1:
${isInside ? bmc : obmd}
    nics:
      eth0:
        macaddr: 52:54:00:00:01:00
        switch: tor-1
        port: gi1/0/1
`;

/** How to do all of it from one document, for those who have more than a few machines. */
export const SiteDocument = () => {
  const isInside = useQuery(bmcTypes).data?.inside ?? true;
  return (
    <Card title="Or all of it from one document">
      <div className="grid gap-3 p-3.5">
        <p className="text-dim">
          <code className="font-mono">corral apply</code> compares a document with what is registered, shows what it
          will do, asks, and does it. It can be run again at any time and deletes nothing. Secrets are in files of their
          own.
        </p>
        <CopyText name="the example of site.yaml" text={documentFor(isInside)} />
        <Command text={`corral login ${location.origin}`} />
        <Command text="corral apply site.yaml" />
        <p className="text-dim">
          “Site documents” (<code className="font-mono">docs/site.md</code>) explains every line;{' '}
          <code className="font-mono">corral switch types</code> and <code className="font-mono">corral bmc types</code>{' '}
          list the fields of each type.
        </p>
      </div>
    </Card>
  );
};
