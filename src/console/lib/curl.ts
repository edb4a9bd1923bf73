/** A request as `curl` sends it, for whoever keeps it in a script. */
import { quoted } from './shell.ts';
import type { Plain } from './yaml.ts';

/** With the token in the environment, so that it gets into no history. */
export function curlOf(method: string, path: string, body: Plain): string {
  return [
    `curl -X ${method} ${quoted(`${location.origin}${path}`)}`,
    `-H "Authorization: Bearer $MILLRACE_TOKEN" -H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ');
}
