/** A process that receives and acknowledges over HTTP until nothing is left, and prints how many messages it had: `node pull-client.ts PORT BATCH`. */
import { overHttp } from './pull.ts';

const [port, batch] = process.argv.slice(2).map(Number);
const client = overHttp(port!, 'http');
let had = 0;
for (;;) {
  const leased = await client.receive(batch!, []);
  if (leased.length === 0) break;
  await client.ack?.(leased);
  had += leased.length;
}
console.log(had);
