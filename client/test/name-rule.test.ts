import { describe, expect, it } from 'vitest';
import { brokenNameRule } from '../src/index.ts';

describe('the rule of names', () => {
  it.each(['node-01', 'é日本', 'a b', '1', '\u{1d4b3}'.repeat(255)])('%s can be the name of a node', (name) => {
    expect(brokenNameRule('node', name)).toBeNull();
  });

  it.each(['', ' a', 'a ', 'a/b', 'a\tb', 'a\u200bb', '\ud800', 'a'.repeat(256)])('%j cannot', (name) => {
    expect(brokenNameRule('node', name)).toMatch(/^1 to 255 characters without control characters, "\/" or a space/);
  });

  it('is that of what is made: a port has slashes, a user no colon, a project is not the operator', () => {
    expect(brokenNameRule('port', 'gi1/0/1')).toBeNull();
    expect(brokenNameRule('username', 'a:b')).toContain('without a colon');
    expect(brokenNameRule('project', 'admin')).toContain('not "admin"');
    expect(brokenNameRule('project', 'admins')).toBeNull();
    expect(brokenNameRule('network', 'admin')).toBeNull();
  });
});
