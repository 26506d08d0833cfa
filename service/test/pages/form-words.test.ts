import { describe, expect, it } from 'vitest';
import { formWords } from '../../../console/src/ui/form-words.ts';
import { refusalsOf, refusalsWithout } from '../../../console/src/ui/refusals.ts';

describe('words beside the fields of a form', () => {
  it.each([
    [
      'path argument "switch" is invalid; expected 1 to 255 characters',
      'This name cannot be used: expected 1 to 255 characters',
    ],
    ['path argument "port" is "a\\"b": no such port', 'This name cannot be used: no such port'],
    ['field "username" is missing; expected a text', 'This is required: a text'],
    ['field "password" is missing; see the API reference', 'This is required'],
    ['Field "obmd.uri" is invalid; expected a URL', 'This cannot be used: expected a URL'],
    ['the OBM daemon refused it: field "user" is invalid; expected a name', 'This cannot be used: expected a name'],
    ['field "current" is not your current password', 'This is not your current password'],
    ['the body is invalid; expected "password" or "private_key"', 'Give a password or a private key'],
    ['the body is invalid; expected "addr" or "url"', 'Give an address or a URL'],
    ['if the device is gone, repeat the request with force=true', 'If the device is gone, tick this box'],
    ['switch sw0 already exists', 'Switch sw0 already exists'],
  ])('%s', (said, meant) => {
    expect(formWords(said)).toBe(meant);
    expect(formWords(meant)).toBe(meant);
  });

  it('each stands beside its field, and one of several is asked for once', () => {
    const error = new Error(
      [
        'field "hostname" is missing; expected a text',
        'field "password" is missing; see the API reference',
        'field "private_key" is missing; see the API reference',
        'the body is invalid; expected "password" or "private_key"',
      ].join('; '),
    );
    const refusals = refusalsOf(error, ['hostname', 'password', 'private_key']);
    expect(['hostname', 'password', 'private_key'].map(refusals.of)).toEqual(['This is required: a text', null, null]);
    expect(refusals.rest).toBe('Give a password or a private key');
    const left = refusalsWithout(refusals, new Set(['password']));
    expect([left.of('hostname'), left.rest]).toEqual(['This is required: a text', null]);
  });
});
