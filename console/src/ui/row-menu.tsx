import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import { menuItemLook, menuLook } from './menu-look.ts';

/** Something that can be done with a row. */
export interface RowAction {
  readonly label: string;
  readonly onChoose: () => void;
  /** Why it cannot be done now, in a sentence. */
  readonly unless?: string | null;
  readonly isDanger?: boolean;
}

/** What can be done with one row, at its end. */
export const RowMenu = ({ label, actions }: { readonly label: string; readonly actions: readonly RowAction[] }) => (
  <Menu.Root>
    <Menu.Trigger
      aria-label={label}
      className="ml-auto inline-flex size-7 shrink-0 items-center justify-center rounded-control text-dim hover:bg-sunken hover:text-text data-popup-open:bg-sunken"
    >
      <Ellipsis size={16} aria-hidden />
    </Menu.Trigger>
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align="end" className="z-20">
        <Menu.Popup className={`max-w-80 ${menuLook}`}>
          {actions.map(({ label: name, onChoose, unless = null, isDanger = false }) => (
            <Menu.Item
              key={name}
              disabled={unless !== null}
              onClick={onChoose}
              className={`${menuItemLook} h-auto! min-h-8 flex-col items-start! justify-center ${isDanger ? 'text-bad' : ''}`}
            >
              {name}
              {unless !== null && <span className="pb-1 text-fine">{unless}</span>}
            </Menu.Item>
          ))}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
);
