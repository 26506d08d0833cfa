/** What a port carries, in words; null: there is no such port. */
export const carried = (
  state: { readonly native: number | null; readonly tagged: string; readonly unclear?: string } | null,
): string => {
  if (state === null) return 'no such port';
  if (state.unclear !== undefined) return `perhaps any VLAN ("${state.unclear}" is not understood)`;
  const parts = [
    state.native === null ? '' : `VLAN ${state.native}`,
    state.tagged === '' ? '' : `tagged ${state.tagged}`,
  ];
  return parts.filter((part) => part !== '').join(', ') || 'nothing';
};
