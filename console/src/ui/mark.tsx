/** The sign of Corral: a fence. */
export const Mark = () => (
  <svg width="20" height="20" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.4" aria-hidden>
    <rect x="1.5" y="3" width="13" height="10" rx="2" />
    <path d="M1.5 8h13M5.5 3v10M10.5 3v10" />
  </svg>
);
