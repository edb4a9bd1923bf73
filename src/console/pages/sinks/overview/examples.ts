/** How a client receives from a consumer, by the language, with a token in MILLRACE_TOKEN. */
import { quoteLiteral } from '../../../lib/sql.ts';

const json = (text: string): string => JSON.stringify(text);

/** Receives five messages, which come again unless they are acknowledged. */
export const receiveCommand = (name: string, origin: string): string =>
  curl(`${origin}/api/http_pull_consumers/${encodeURIComponent(name)}/receive`, '{"batch_size": 5, "wait_for": "20s"}');

const curl = (url: string, body: string): string =>
  [
    `curl ${url} \\`,
    `  -H "Authorization: Bearer $MILLRACE_TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');

export interface Example {
  /** Run as it stands. */
  receive: string;
  /** With the `ack_id` of what came; absent: the first does both. */
  ack?: string;
}

export const EXAMPLES: Readonly<Record<'curl' | 'SQL' | 'JavaScript', (name: string, origin: string) => Example>> = {
  curl: (name, origin) => ({
    receive: receiveCommand(name, origin),
    ack: curl(`${origin}/api/http_pull_consumers/${encodeURIComponent(name)}/ack`, '{"ack_ids": ["..."]}'),
  }),
  SQL: (name) => ({
    receive: `select ack_id, message from millrace.receive(${quoteLiteral(name)}, 5);`,
    ack: `select millrace.ack(${quoteLiteral(name)}, array['...']);`,
  }),
  JavaScript: (name, origin) => ({
    receive: `const url = ${json(`${origin}/api/http_pull_consumers/${encodeURIComponent(name)}/receive`)};
const headers = {
  authorization: \`Bearer \${process.env.MILLRACE_TOKEN}\`,
  'content-type': 'application/json',
};
// What was done is acknowledged with the next request.
for (let ack_ids = []; ; ) {
  const body = JSON.stringify({ batch_size: 100, wait_for: '20s', ack_ids });
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  const { data } = await answer.json();
  for (const { action, record } of data) console.log(action, record);
  ack_ids = data.map(({ ack_id }) => ack_id);
}`,
  }),
};
