import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';

/** What a dialog begins with, unless it has a field: what may be pressed without harm. */
export const focusedFirst = { 'data-focused-first': '' } as const;

const first = 'input:not([type=hidden]), select, textarea, [data-focused-first]';

/** A question or a form over the page. Escape and the veil close it, unless it must be answered. */
export const Dialog = ({
  title,
  isOpen,
  onClose,
  children,
  mustAnswer = false,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly mustAnswer?: boolean;
}) => {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={isOpen}
      disablePointerDismissal={mustAnswer}
      onOpenChange={(isNowOpen) => {
        if (!isNowOpen && !mustAnswer) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-veil" />
        <Base.Popup
          ref={popup}
          // A finger would get a keyboard on the screen for it.
          initialFocus={(by) => by === 'touch' || (popup.current?.querySelector<HTMLElement>(first) ?? true)}
          className="fixed top-[12vh] left-1/2 z-40 max-h-[80vh] w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 overflow-auto rounded-card border border-line bg-raised p-5 shadow-float"
        >
          <div className="mb-3 flex items-start justify-between gap-4">
            <Base.Title className="text-title font-semibold">{title}</Base.Title>
            {!mustAnswer && (
              <Base.Close aria-label="Close" className="rounded-control p-1 text-dim hover:bg-sunken">
                <X size={16} aria-hidden />
              </Base.Close>
            )}
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
};
