/** The version of this release. */
import { readFileSync } from 'node:fs';

const own: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

export const VERSION = own.version;
