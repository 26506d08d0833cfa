import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';

/** A sentence about something, on hover and focus. Without one it is the same element: a press or focus is not lost. */
export const Hint = ({ text, children }: { readonly text: string | null; readonly children: ReactElement }) => (
  <Tooltip.Root disabled={text === null}>
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
