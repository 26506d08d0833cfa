/** Hands out network ids. */
export interface Allocator {
  /** The next free id given those in use, or null when there is none left. */
  allocate(inUse: ReadonlySet<number>): number | null;
  /** May the allocator have handed out this id? */
  has(id: number): boolean;
}
