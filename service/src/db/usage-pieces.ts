/** No span in the ledger that has ended is longer: what overlaps a month is found without a look at years. */
export const longestSpanMs = 30 * 86_400_000;

/** The columns of a span that every one has. */
export const spanColumns = 'node, class, project_id, project, kind, from_at';

/** Spans in pieces that are short enough. `whole` has the columns of a span, and `ends`. */
export const inPieces = (whole: string): string => `
  with recursive piece (${spanColumns}, until_at, ends) as (
    select ${spanColumns}, case when ends - from_at > ${longestSpanMs} then from_at + ${longestSpanMs} else ends end, ends
      from (${whole}) whole
    union all
    select node, class, project_id, project, kind, until_at,
      case when ends - until_at > ${longestSpanMs} then until_at + ${longestSpanMs} else ends end, ends
      from piece where until_at < ends)
  select ${spanColumns}, until_at from piece`;
