import { type Deadline, withDeadline } from '../abort.ts';
import { describeOrigin, type HttpClient } from './http-client.ts';

/** What is posted, and where to. */
export interface JsonPost {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** Throws if it may not be sent any more: called as the last thing before it is. */
  readonly check?: () => void;
}

/** Posts JSON and answers with the status; nothing else of the answer is read. What goes wrong is an HttpFault. */
export const postJson = async (
  http: HttpClient,
  { url, headers = {}, body, check }: JsonPost,
  deadline: Deadline,
): Promise<number> => {
  const request = {
    method: 'POST',
    ...describeOrigin(new URL(url)),
    headers: { 'content-type': 'application/json', ...headers },
    body,
    ...(check && { check }),
  } as const;
  const answer = await withDeadline(deadline, (signal) => http.stream(request, signal));
  answer.body.destroy();
  return answer.status;
};

/** Is it a redirect? Nothing follows one. */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** Did the other side take what it was sent? */
export const isTaken = (status: number): boolean => status >= 200 && status < 300;
