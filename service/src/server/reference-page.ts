import { createHash } from 'node:crypto';
import type { JsonSchema } from './json-schema.ts';
import { hasBody } from './openapi.ts';
import { mediaTypes } from './route-reply.ts';
import type { Route } from './route.ts';
import type { RouteGroup } from './routes/all-routes.ts';

/** The API reference: one page, made from the route list, that needs nothing from anywhere else. */
export const referencePage = (groups: readonly RouteGroup[], version: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Corral API reference</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Corral <small>${escape(version)} · interface v0</small></h1>
<p>Calls take and give JSON. Errors are <code>{"type": …, "msg": …}</code>. In the examples <code>$V0</code> is the address of this service with <code>/v0</code>. Machine-readable: <a href="/openapi.json">openapi.json</a>.</p>
<input id="filter" type="search" placeholder="Filter calls" aria-label="Filter calls">
</header>
<div class="columns">
<nav aria-label="Calls">${groups.map(navigation).join('')}</nav>
<main>${groups.map(section).join('')}</main>
</div>
<script>${script}</script>
</body>
</html>
`;

const navigation = ({ title, routes }: RouteGroup): string => `
<div data-group><h2>${escape(title)}</h2>
<ul>${shown(routes)
  .map(({ name }) => `<li data-name="${escape(name)}"><a href="#${escape(name)}">${escape(name)}</a></li>`)
  .join('')}</ul></div>`;

const section = ({ title, routes }: RouteGroup): string => `
<section data-group><h2>${escape(title)}</h2>${shown(routes).map(article).join('')}</section>`;

/** A call that is served under two spellings is described once. */
const shown = (routes: readonly Route[]): Route[] =>
  routes.filter((route, index) => routes.findIndex(({ name }) => name === route.name) === index);

const article = (route: Route): string => `
<article id="${escape(route.name)}" data-name="${escape(route.name)}">
<h3><span class="method ${route.method.toLowerCase()}">${route.method}</span> <code>/v0${escape(route.path.replace(/:(\w+)/g, '<$1>'))}</code></h3>
<p><b>${escape(route.name)}</b>: ${escape(route.summary)}.</p>
<p class="auth">Who may call: ${escape(route.auth)}.</p>
${table('Query', route.query)}
${hasBody(route) ? table('Body', route.body) : ''}
<p>Answers <b>${route.status}</b> ${replyOf(route)}</p>
<pre><code>${escape(example(route))}</code></pre>
</article>`;

const replyOf = ({ reply }: Route): string => {
  switch (reply.kind) {
    case 'none':
      return 'with an empty body.';
    case 'json':
      return `with <code>${escape(shape(reply.schema))}</code>`;
    default:
      return `with <code>${escape(mediaTypes[reply.kind])}</code>.`;
  }
};

const example = (route: Route): string => {
  const { method, path, reply } = route;
  const url = `$V0${path.replace(/:(\w+)/g, (_, name: string) => name.toUpperCase())}`;
  const body = hasBody(route) ? ` -d '${sample(route.body)}'` : '';
  // Signing in is for our own pages, which say so.
  const who = route.access === 'sign-in' ? '-H "Origin: ${V0%/v0}"' : '-u USER';
  return `curl ${who} -X ${method}${reply.kind === 'events' ? ' -N' : ''} ${url}${body}`;
};

const table = (title: string, schema: JsonSchema): string => {
  const { properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).map(
    ([name, property]) => `<tr><td><code>${escape(name)}</code></td><td><code>${escape(shape(property))}</code></td>
<td>${required.includes(name) ? 'required' : 'optional'}</td><td>${escape(property.description ?? '')}</td></tr>`,
  );
  return rows.length === 0 ? '' : `<h4>${title}</h4><table>${rows.join('')}</table>`;
};

/** A schema in a few characters: `{"name": string, "nics": [string]}`. */
const shape = (schema: JsonSchema): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(shape).join(' | ');
  if (schema.type !== undefined && typeof schema.type !== 'string') {
    const { type: types, ...rest } = schema;
    return types.map((type) => shape({ ...rest, type })).join(' | ');
  }
  if (schema.type === 'null') return 'null';
  if (schema.type === 'array') return `[${schema.items ? shape(schema.items) : ''}]`;
  const [value] = Object.values(schema.patternProperties ?? {});
  if (value) return `{<label>: ${shape(value)}}`;
  if (schema.properties) {
    const { required = [] } = schema;
    const fields = Object.entries(schema.properties);
    return `{${fields.map(([name, field]) => `"${name}"${required.includes(name) ? '' : '?'}: ${shape(field)}`).join(', ')}}`;
  }
  return typeof schema.type === 'string' ? schema.type : 'any';
};

const sample = (schema: JsonSchema): string => {
  const { properties = {}, required = [] } = schema;
  const names = required.length > 0 ? required : Object.keys(properties);
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, sampleValue(properties[name] ?? {})])));
};

const sampleValue = (schema: JsonSchema): unknown => {
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer') return schema.minimum ?? 0;
  if (schema.type === 'object') {
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, sampleValue(inner)]),
    );
  }
  return '…';
};

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
header { padding: 1rem 2rem; border-bottom: 1px solid var(--line); }
h1 { margin: 0; } h1 small { font-size: .9rem; font-weight: normal; opacity: .7; }
input { width: min(30rem, 100%); padding: .4rem .6rem; font: inherit; }
.columns { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
nav { padding: 0 1rem 2rem 2rem; border-right: 1px solid var(--line); position: sticky; top: 0; max-height: 100vh; overflow: auto; }
nav h2 { font-size: .85rem; margin: 1rem 0 .2rem; opacity: .7; } nav ul { list-style: none; padding: 0; margin: 0; }
nav a { text-decoration: none; font-size: .9rem; }
main { padding: 0 2rem 4rem; max-width: 70rem; }
article { border: 1px solid var(--line); border-radius: 8px; padding: .2rem 1.2rem 1rem; margin: 1rem 0; }
article:target { outline: 2px solid #38f; }
h3 code { font-size: 1rem; } h4 { margin: .6rem 0 .2rem; }
.method { display: inline-block; min-width: 4.5rem; text-align: center; border-radius: 4px; color: #fff; font-size: .8rem; padding: .1rem .4rem; }
.get { background: #27742d; } .put { background: #8a5a00; } .post { background: #1c5fb0; } .patch { background: #5b4aa0; } .delete { background: #a82a2a; }
.auth { opacity: .8; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; } td { border-top: 1px solid var(--line); padding: .25rem .6rem .25rem 0; vertical-align: top; }
pre { background: var(--soft); padding: .6rem .8rem; border-radius: 6px; overflow: auto; margin: .4rem 0 0; }
code { overflow-wrap: anywhere; }
@media (max-width: 50rem) { .columns { display: block; } nav { position: static; max-height: 40vh; border: 0; padding: 0 1rem; } main, header { padding-inline: 1rem; } article { overflow-x: auto; } }
`;

const script = `
const filter = document.getElementById('filter');
filter.addEventListener('input', () => {
  const wanted = filter.value.trim().toLowerCase();
  for (const article of document.querySelectorAll('article')) {
    const isHidden = !article.textContent.toLowerCase().includes(wanted);
    for (const item of document.querySelectorAll('[data-name="' + article.id + '"]')) item.hidden = isHidden;
  }
  for (const group of document.querySelectorAll('[data-group]'))
    group.hidden = group.querySelector('[data-name]:not([hidden])') === null;
});
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** What a browser may take for part of the page: its own style and script, and nothing from anywhere. */
export const referencePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
