/** The addresses of all pages, as the files of their routes say them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const PAGES = fileURLToPath(new URL('../../../src/console/pages/', import.meta.url));

const ABOVE: Readonly<Record<string, string>> = {
  sinkRoute: '/sinks/$sink',
  databaseRoute: '/databases/$database',
  retentionRoute: '/change-retentions/$retention',
};

/** Messages are under a sink, and under a change retention. */
const messagesOf = (file: string): string =>
  `${ABOVE[file.startsWith('retentions') ? 'retentionRoute' : 'sinkRoute']}/messages`;

/** With their parameters: `/sinks/$sink/overview`. */
export function addresses(): string[] {
  const files = readdirSync(PAGES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /route[\w-]*\.tsx?$/.test(file),
  );
  const found = files.flatMap((file) =>
    [
      ...readFileSync(path.join(PAGES, file), 'utf8').matchAll(
        /getParentRoute: \(\) => (\w+),\s+(?:path|id): '([^']+)'/g,
      ),
    ].map(([, parent = '', own]) => (ABOVE[parent] ?? (parent === 'messages' ? messagesOf(file) : '')) + own),
  );
  expect(found.length).to.be.greaterThan(10);
  return [...new Set(found)];
}

/** `places`: what the parameters name. */
export const addressOf = (address: string, places: Readonly<Record<string, string>>): string =>
  address.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const value =
      name === 'id' ? (address.startsWith('/operations') ? places.operation : places.message) : places[name];
    if (value === undefined) throw new Error(`${address}: this test does not know a ${name}`);
    return encodeURIComponent(value);
  });
