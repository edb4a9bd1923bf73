/** The built console (`npm run build`), kept in memory: some megabytes, and no file is opened for a request. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export type Encoding = 'br' | 'gzip';

export interface ConsoleFile {
  type: string;
  body: Buffer;
  /** The same, packed. */
  packed: Partial<Record<Encoding, Buffer>>;
}

export interface ConsoleFiles {
  /** Of which sources it was built; a page that is open sees by it that there is a newer one. */
  build: string;
  /** The page, with `__NONCE__` where each answer's nonce stands. */
  page: string;
  /** By name, as under /assets/. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const PACKED: Record<string, Encoding> = { '.br': 'br', '.gz': 'gzip' };

/** Undefined: nothing is built there. */
export async function readConsole(folder: string): Promise<ConsoleFiles | undefined> {
  try {
    const [build, page, names] = await Promise.all([
      readFile(path.join(folder, 'build-id'), 'utf8'),
      readFile(path.join(folder, 'index.html'), 'utf8'),
      readdir(path.join(folder, 'assets')),
    ]);
    const assets = new Map<string, ConsoleFile>();
    const read = (name: string): Promise<Buffer> => readFile(path.join(folder, 'assets', name));
    for (const name of names.filter((each) => PACKED[path.extname(each)] === undefined)) {
      const file: ConsoleFile = {
        type: TYPES[path.extname(name)] ?? 'application/octet-stream',
        body: await read(name),
        packed: {},
      };
      for (const [suffix, encoding] of Object.entries(PACKED))
        if (names.includes(name + suffix)) file.packed[encoding] = await read(name + suffix);
      assets.set(name, file);
    }
    return { build, page, assets };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
