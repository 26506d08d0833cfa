import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';

/** A sentence about something, on hover and focus. */
export const Hint = ({ text, children }: { readonly text: string; readonly children: ReactElement }) => (
  <Tooltip.Root>
    <Tooltip.Trigger render={children} />
    <Tooltip.Portal>
      <Tooltip.Positioner sideOffset={6} className="z-50">
        <Tooltip.Popup className="max-w-80 rounded-control border border-line bg-raised px-2.5 py-1.5 text-fine text-text shadow-float">
          {text}
        </Tooltip.Popup>
      </Tooltip.Positioner>
    </Tooltip.Portal>
  </Tooltip.Root>
);
