/** A parent for tests of the process model: runs the role of its argument until it is killed. */
import { fileURLToPath } from 'node:url';
import { roleProcess } from '../../../src/runtime/role-process.ts';

const entry = fileURLToPath(new URL('./role-child.ts', import.meta.url));
const role = roleProcess(process.argv[2] ?? '', { entry, env: process.env, graceMs: 5_000 });
await role.run(new AbortController().signal);
