/** A colour of the theme as it is at this place, as `#rrggbb`. */
export const hexOf = (place: HTMLElement, name: string): string => {
  const probe = place.appendChild(document.createElement('i'));
  probe.style.color = `var(${name})`;
  const numbers = getComputedStyle(probe).color.match(/\d+/g) ?? [];
  probe.remove();
  return `#${numbers
    .slice(0, 3)
    .map((number) => Number(number).toString(16).padStart(2, '0'))
    .join('')}`;
};

/** Tells when the colours become others, by choice or by the system's. Returns how to stop. */
export const watchTheme = (changed: () => void): (() => void) => {
  const chosen = new MutationObserver(changed);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const ofSystem = matchMedia('(prefers-color-scheme: dark)');
  ofSystem.addEventListener('change', changed);
  return () => {
    chosen.disconnect();
    ofSystem.removeEventListener('change', changed);
  };
};
