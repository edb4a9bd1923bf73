/** Whether a program can be run from PATH, without running it. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';

export async function findProgram(name: string, searchPath: string = process.env.PATH ?? ''): Promise<boolean> {
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== '');
  const found = await Promise.all(
    folders.map((folder) =>
      access(path.join(folder, name), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
