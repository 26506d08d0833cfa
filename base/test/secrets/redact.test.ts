import { describe, expect, it } from 'vitest';
import { redactError, redact } from '../../src/secrets/redact.ts';

const secret = 'p/ss "w&rd" 77';

describe('what a device says back', () => {
  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify({ password: secret })],
    ['in a URL', `https://host/?password=${encodeURIComponent(secret)}`],
    ['in a form', new URLSearchParams({ password: secret }).toString()],
    ['in XML', '<password>p/ss &quot;w&amp;rd&quot; 77</password>'],
    ['in hexadecimal digits', Buffer.from(secret).toString('hex')],
    ['as HTTP Basic', `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`],
    ['after a longer name', `Basic ${Buffer.from(`admin1:${secret}!`).toString('base64')}`],
    ['in the alphabet of URLs', Buffer.from(`admin:${secret}`).toString('base64url')],
  ])('is reported without the secret: %s', (_, text) => {
    const told = redact(`it said ${text}`, [secret]);
    expect(told).toContain('it said ');
    expect(told).toContain('[secret]');
    for (const part of ['w&rd', 'w&amp;rd', 'w%26rd', Buffer.from('w&rd').toString('hex')]) {
      expect(told).not.toContain(part);
    }
    expect(Buffer.from(told.replace(/^.* /, ''), 'base64').toString('latin1')).not.toContain('w&rd');
  });

  it('is reported unchanged where there is nothing to hide, and where a secret is too short to differ from words', () => {
    expect(redact('interface gi1/0/1 is down', [secret, 'is', ''])).toBe('interface gi1/0/1 is down');
  });

  it('stays the same error, without the secret in message, stack, causes and fields', () => {
    class DeviceError extends TypeError {
      readonly body = `body ${secret}`;
      readonly status = 500;
    }
    const error = new DeviceError(`said ${secret}`, { cause: new Error(`because of ${secret}`) });
    expect(redactError(error, [secret])).toBe(error);
    expect(error).toBeInstanceOf(DeviceError);
    expect([error.message, error.body, error.status]).toEqual(['said [secret]', 'body [secret]', 500]);
    expect(`${error.stack ?? ''} ${(error.cause as Error).message}`).not.toContain(secret);
    expect(redactError(`thrown ${secret}`, [secret])).toBe('thrown [secret]');
    expect(redactError(null, [secret])).toBe(null);
  });
});
