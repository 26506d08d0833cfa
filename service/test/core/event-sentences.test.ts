import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventSentences, eventText, forceIn } from '../../../client/src/event-sentences.ts';

const sources = new URL('../../src/', import.meta.url);

/** Types of networking actions, which stand beside events. */
const otherTypes = new Set(['modify_port', 'revert_port']);

const word = `'([a-z]+(?:_[a-z]+)+)'`;
/** How the service names the type of an event: in what it records, or as an argument of what makes it. */
const forms = [
  new RegExp(`\\btype: ${word}`, 'g'),
  new RegExp(`\\beventOf\\((?:[^'()]* \\? )?${word}(?: : ${word})?`, 'g'),
  new RegExp(`\\brecorded\\(context, args, ${word}`, 'g'),
];

/** Every type of event that the service records, as its sources name them. */
const recordedTypes = (): readonly string[] => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = files.map((name) => readFileSync(new URL(name, sources), 'utf8'));
  const found = texts
    .filter((text) => text.includes('.record('))
    .flatMap((text) => forms.flatMap((form) => [...text.matchAll(form)].flatMap(([, ...words]) => words)))
    .filter((type) => type && !otherTypes.has(type));
  return [...new Set(found)].sort();
};

describe('sentences about events', () => {
  it('have a sentence for every type that the service records, and for nothing else', () => {
    const types = recordedTypes();
    expect(types.length).toBeGreaterThan(60);
    expect(Object.keys(eventSentences).sort()).toEqual(types);
  });

  it('are no words of the interface', () => {
    for (const sentence of Object.values(eventSentences)) {
      for (const detail of [{}, { is_admin: true, public: true, reset: true, policy: 'repair', change: 'revert' }]) {
        const text = typeof sentence === 'function' ? sentence(detail) : sentence;
        expect(text.replaceAll(/\{[^}]+\}/g, '')).not.toMatch(/_|[{}]/);
      }
    }
  });

  it('say what was done by force', () => {
    expect(forceIn({ forced: 'suspect' })).toBe(' by force');
    expect(forceIn({ force: true })).toBe(' by force');
    expect(forceIn({ force: false })).toBe('');
    expect(forceIn({})).toBe('');
  });

  const event = {
    type: 'node_connect_network',
    caller: 'ada',
    project: 'red',
    node: 'n1',
    nic: 'eth0',
    network: 'net',
  };

  it('are one line of plain text each', () => {
    expect(eventText({ ...event, detail: {} })).toBe('ada: asked to connect n1 eth0 to net');
    expect(eventText({ ...event, type: 'node_quarantined', detail: { reason: 'no answer' } })).toBe(
      'ada: quarantined n1 eth0: no answer',
    );
    expect(eventText({ ...event, type: 'project_delete', detail: { force: true } })).toBe(
      'ada: deleted project red by force',
    );
    expect(eventText({ ...event, type: 'headnode_delete', detail: {} })).toBe('ada: deleted headnode');
    expect(eventText({ ...event, type: 'something_new', detail: {} })).toBe('ada: something new n1 eth0 net red');
  });

  it('let no name begin another line or hide what follows', () => {
    const detail = { reason: 'a\r\nSubject: b\u2028c\u202Ed\u0000e', step: '{node}' };
    expect(eventText({ ...event, type: 'cleaning_skip', caller: 'a\nb', detail })).toBe(
      'a b: skipped step {node} of the cleaning of n1 eth0: a Subject: b c d e',
    );
  });
});
