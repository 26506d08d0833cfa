/** What the racks are coloured by: in the address, so that a link shows the same to everybody. */
export interface RacksSearch {
  readonly by?: 'state';
}

export const racksSearch = (search: Record<string, unknown>): RacksSearch =>
  search['by'] === 'state' ? { by: 'state' } : {};
