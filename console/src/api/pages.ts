/** What a call answers with that gives its list a page at a time. */
interface Page {
  readonly event: number;
  readonly next: string | null;
}

/** All pages of a list, in order; `event`: everything up to it is in them. */
export const allPages = async <P extends Page>(pageAfter: (after: string | undefined) => Promise<P>): Promise<P[]> => {
  const pages: P[] = [];
  for (let after: string | undefined; ;) {
    const page = await pageAfter(after);
    pages.push(page);
    if (page.next === null) return pages;
    after = page.next;
  }
};
