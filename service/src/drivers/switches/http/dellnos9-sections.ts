import { oneLine } from '../device-text.ts';

/** One line of a section; a nested one belongs to a block inside it, and says nothing about the section itself. */
export interface SectionLine {
  readonly text: string;
  readonly isNested: boolean;
}

/** What begins at the margin is a title; the lines indented below belong to it. */
export interface Section {
  readonly title: string;
  readonly lines: readonly SectionLine[];
}

/** A message of the log, as OS9 writes them: `%STKUNIT1-M:CP %IFMGR-5-OSTATE_UP: …`, perhaps behind a time. */
export const isLogLine = (line: string): boolean => /%(?:STKUNIT|RPM|SYSTEM)\d*-|%[A-Z][A-Z0-9_]*-\d-[A-Z]/.test(line);

const isPrompt = (line: string): boolean => /^[\w.-]+#$/.test(line);

/**
 * The sections of a running configuration. A line that does not belong there, such as a message of the log, is never
 * taken for the end of a section: what follows would be lost. Neither is an answer that ends too soon taken for a whole.
 */
export const sectionsOf = (output: string): readonly Section[] => {
  const lines = output.split(/\r?\n/).filter((line) => line.trim() !== '');
  const begin = lines.findIndex((line) => line.startsWith('Current Configuration'));
  const last = lines.at(-1)?.trim() ?? '';
  if (begin < 0) throw new Error(`the switch shows no running configuration but "${oneLine(output)}"`);
  if (last !== 'end' && !isPrompt(last)) throw new Error(`the running configuration ends with "${oneLine(last)}"`);
  const sections: { title: string; raw: string[] }[] = [];
  let isClosed = true;
  for (const line of lines.slice(begin + 1)) {
    const section = sections.at(-1);
    if (isLogLine(line)) throw unexpected(line);
    else if (line.startsWith('!')) isClosed = true;
    else if (/^\s/.test(line)) {
      if (section === undefined || !isPlace(section.title, line)) throw unexpected(line);
      section.raw.push(line);
      isClosed = false;
    } else {
      const title = line.trim().replaceAll(/\s+/g, ' ');
      // A section of an interface ends with a mark of its own, or with the next interface.
      const isNext = isClosed || /^interface /i.test(title) || title === 'end' || isPrompt(title);
      if (!isNext && /^interface /i.test(section?.title ?? '')) throw unexpected(line);
      sections.push({ title, raw: [] });
      isClosed = /^(?:end|[\w.-]+#)$/.test(title);
    }
  }
  return sections.map(({ title, raw }) => ({ title, lines: linesOf(raw) }));
};

/** Lines that only interfaces have: below anything else they are the rest of a section that was cut in two. */
const isPlace = (title: string, line: string): boolean =>
  /^interface /i.test(title) ||
  !/^\s+(?:(?:no )?switchport|portmode|port-channel|vlan-stack|tagged |untagged |channel-member )/i.test(line);

const unexpected = (line: string): Error =>
  new Error(`the switch wrote "${oneLine(line)}" in the middle of its running configuration`);

const linesOf = (raw: readonly string[]): readonly SectionLine[] => {
  const indents = raw.map((line) => line.length - line.trimStart().length);
  const least = indents.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const lines: { parts: string[]; isNested: boolean }[] = [];
  for (const [at, line] of raw.entries()) {
    const text = line.trim().replaceAll(/\s+/g, ' ');
    const before = lines.at(-1);
    if (text.startsWith('!')) continue;
    // Nothing but ports: the list of the line before goes on.
    if (before && /^[\d/,-]+$/.test(text)) before.parts.push(text);
    else lines.push({ parts: [text], isNested: (indents[at] ?? 0) > least });
  }
  return lines.map(({ parts, isNested }) => ({ text: joined(parts), isNested }));
};

const joined = (parts: readonly string[]): string =>
  parts
    .map((part, at) => {
      const next = parts[at + 1];
      return next === undefined || part.endsWith(',') || next.startsWith(',') ? part : `${part},`;
    })
    .join('');
