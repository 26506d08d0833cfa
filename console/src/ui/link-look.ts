/** A link that looks like a button. */
export const linkLook =
  'inline-flex h-8 items-center gap-1.5 rounded-control border border-line bg-panel hover:bg-sunken whitespace-nowrap';
