import { useState } from 'react';
import { corral } from '../api/client.ts';
import { ChoiceField } from '../ui/choice-field.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { type Progress, WorkDialog } from '../ui/work-dialog.tsx';
import type { NodeRow } from './nodes-search.ts';

interface Order {
  readonly verb: string;
  readonly about: string;
  readonly words: readonly string[];
  readonly run: (node: string) => Promise<unknown>;
  readonly isDangerous?: true;
}

const orders: Readonly<Record<string, Order>> = {
  on: {
    verb: 'Turn on',
    about: 'Those that are on stay on.',
    words: ['power', 'on'],
    run: (node) => corral.nodePowerOn({ node }),
  },
  off: {
    verb: 'Turn off',
    about: 'At once: their operating systems are not asked, and what is not on their disks is lost.',
    words: ['power', 'off'],
    run: (node) => corral.nodePowerOff({ node }),
    isDangerous: true,
  },
  cycle: {
    verb: 'Restart',
    about: 'Their operating systems are asked to shut down first.',
    words: ['power', 'cycle'],
    run: (node) => corral.nodePowerCycle({ node }),
    isDangerous: true,
  },
  enable: {
    verb: 'Enable OBM of',
    about: 'Power, boot device and serial console can be used then.',
    words: ['obm', 'enable'],
    run: (node) => corral.nodeSetObm({ node, enabled: true }),
  },
  disable: {
    verb: 'Disable OBM of',
    about: 'Clients that have their serial consoles open lose them. The machines stay on or off as they are.',
    words: ['obm', 'disable'],
    run: (node) => corral.nodeSetObm({ node, enabled: false }),
  },
};

/** Turns several nodes on or off, or lets that be done. */
export const PowerNodes = ({
  nodes,
  progress,
}: {
  readonly nodes: readonly NodeRow[];
  readonly progress: Progress;
}) => {
  const [name, setName] = useState('');
  const order = orders[name];
  const words = order?.words ?? ['power', 'ORDER'];
  return (
    <WorkDialog
      verb={order?.verb ?? 'Power of'}
      kind="node"
      things={nodes}
      run={(node) => order?.run(node.name) ?? Promise.resolve()}
      command={nodes.map((node) => commandOf('node', ...words, node.name)).join('; ')}
      look={order?.isDangerous ? 'danger' : 'primary'}
      unless={order === undefined ? 'Choose what to do first' : null}
      progress={progress}
    >
      <ChoiceField
        label="What to do"
        value={name}
        about={order?.about ?? ''}
        options={Object.entries(orders).map(([key, { verb }]) => ({ value: key, label: verb.replace(/ of$/, '') }))}
        onChange={setName}
      />
    </WorkDialog>
  );
};
