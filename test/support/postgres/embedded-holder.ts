/** A process that runs an embedded server until it is killed: `node embedded-holder.ts DIR PASSWORD`; prints {port, pid}. */
import { startEmbedded } from '../../../src/db/embedded/server.ts';

const [, , dir = '', password = ''] = process.argv;
const server = await startEmbedded({ dir, password, settings: { fsync: 'off' }, log: () => undefined });
process.stdout.write(`${JSON.stringify({ port: server.port, pid: server.pid })}\n`);
