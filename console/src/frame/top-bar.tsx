import { Menu as MenuIcon, Search } from 'lucide-react';
import { useLiveState } from '../api/use-live.ts';
import { AccountMenu } from './account-menu.tsx';
import { Palette, usePalette } from './palette.tsx';

/** Search, whether the page is live, and who is signed in. */
export const TopBar = ({ onMenu }: { readonly onMenu: () => void }) => {
  const palette = usePalette();
  return (
    <header className="sticky top-0 z-10 flex h-13 items-center gap-3 border-b border-line bg-panel px-4 sm:px-6">
      <button type="button" aria-label="Open the menu" className="p-1 md:hidden" onClick={onMenu}>
        <MenuIcon size={18} aria-hidden />
      </button>
      <button
        type="button"
        onClick={palette.open}
        className="ml-auto flex h-8 w-full max-w-72 items-center gap-2 rounded-control border border-line bg-sunken px-2.5 text-dim hover:border-line-strong"
      >
        <Search size={14} aria-hidden />
        <span className="truncate">Search or jump to…</span>
        <kbd className="ml-auto rounded border border-line px-1.5 font-mono text-fine max-sm:hidden">Ctrl K</kbd>
      </button>
      <LiveDot />
      <AccountMenu />
      <Palette palette={palette} />
    </header>
  );
};

const LiveDot = () => {
  const state = useLiveState();
  const isLive = state === 'live';
  return (
    <span
      role="status"
      className={`inline-flex items-center gap-1.5 whitespace-nowrap ${isLive ? 'text-dim' : 'font-medium text-warn'}`}
      title={isLive ? 'Changes appear here as they happen' : 'What you see may be old until the connection is back'}
    >
      <span aria-hidden className={`size-2 rounded-full ${isLive ? 'bg-ok' : 'bg-warn'}`} />
      {isLive ? 'live' : state === 'connecting' ? 'connecting…' : 'reconnecting…'}
    </span>
  );
};
