import { jsonIn } from './redfish-documents.ts';
import { itemsOf, memberAt, textAt } from '@corral/base/json-members';
import type { RedfishResponse } from './redfish-http-client.ts';
import type { RedfishTarget } from './redfish-target.ts';

/** What a BMC answered, as it can stand in the log: on one line, not too long, and without what we told it. */
export const errorTextOf = ({ status, text }: RedfishResponse, { pass, user }: RedfishTarget, token: string): Error => {
  const escaped = JSON.stringify(pass).slice(1, -1);
  const basic = Buffer.from(`${user}:${pass}`).toString('base64');
  const secrets = [basic, pass, escaped, token].filter((one) => one !== '');
  const said = secrets.reduce((words, secret) => words.replaceAll(secret, '…'), complaintIn(text));
  const http = said.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return new Error(`HTTP ${status}: ${http.length <= 300 ? http : `${http.slice(0, 300)}…`}`);
};

/** The messages of an error document; the text itself if it is none. */
const complaintIn = (text: string): string => {
  const document = jsonIn(text);
  const messages = itemsOf(memberAt(document, 'error', '@Message.ExtendedInfo'))
    .slice(0, 5)
    .map((info) => textAt(info, 'Message') ?? textAt(info, 'MessageId') ?? '');
  const found = messages.filter((message) => message !== '').join(' ');
  return found === '' ? (textAt(document, 'error', 'message') ?? text) : found;
};
