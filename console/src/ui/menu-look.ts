/** How an item of a menu looks. */
export const menuItemLook =
  'flex h-8 items-center rounded-control px-2.5 data-highlighted:bg-sunken data-disabled:text-dim outline-none select-none cursor-default';
/** How what it stands in looks. */
export const menuLook = 'min-w-56 rounded-card border border-line bg-raised p-1.5 shadow-float';
