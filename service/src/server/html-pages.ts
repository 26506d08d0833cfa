import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** A page of a sentence or two. */
export interface SmallPage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly link: { readonly to: string; readonly text: string };
  /** Goes there by itself. */
  readonly goesOn?: true;
}

const style = `body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1.5rem;color:#1c2733;background:#f6f8fa}
main{background:#fff;border:1px solid #d5dde5;border-radius:.5rem;padding:1.5rem 2rem}
h1{font-size:1.3rem;margin:0 0 .5rem}a{color:#0b5cad}p{margin:.5rem 0}
@media(prefers-color-scheme:dark){body{color:#dfe6ee;background:#12181f}main{background:#1a222c;border-color:#33404e}a{color:#7db8f5}}`;
const hash = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Sends a page that needs nothing else, runs nothing and is kept by nobody. */
export const sendPage = (reply: FastifyReply, page: SmallPage): FastifyReply =>
  reply
    .status(page.status)
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': policy, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .send(textOf(page));

const textOf = ({ title, text, link, goesOn }: SmallPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${goesOn ? `<meta http-equiv="refresh" content="0; url=${escaped(link.to)}">\n` : ''}<title>${escaped(title)} – Corral</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
<p><a href="${escaped(link.to)}">${escaped(link.text)}</a></p>
</main>
</body>
</html>
`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? '');
