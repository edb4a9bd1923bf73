/** Folders that root makes for others to enter, whatever its umask is: the embedded server runs as another account. */
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';

/** Those that are missing are made. Of whoever is not root, the umask decides: nobody else needs to enter. */
export async function makeEnterable(folder: string): Promise<void> {
  const whole = path.resolve(folder);
  const first = await mkdir(whole, { recursive: true, mode: 0o755 });
  if (first === undefined || process.getuid?.() !== 0) return;
  for (let made = whole; made.length >= first.length; made = path.dirname(made)) await chmod(made, 0o755);
}
