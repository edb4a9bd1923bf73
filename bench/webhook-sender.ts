/**
 * The reference of webhooks: the same requests by undici alone, from memory. A process of its own, as the worker is: URL,
 * REQUESTS, BYTES of each and PARALLEL under way; prints the seconds that it took.
 */
import { Pool } from 'undici';

const url = new URL(process.env.URL!);
const parallel = Number(process.env.PARALLEL);
const body = Buffer.alloc(Number(process.env.BYTES), 'x');
const pool = new Pool(url.origin, { connections: parallel, pipelining: 1 });
const headers = { 'content-type': 'application/json', 'webhook-id': '1795250360075576' };
let left = Number(process.env.REQUESTS);

async function send(): Promise<void> {
  for (; left > 0; ) {
    left -= 1;
    const answer = await pool.request({ method: 'POST', path: url.pathname, headers, body });
    await answer.body.dump();
  }
}

const begun = performance.now();
await Promise.all(Array.from({ length: parallel }, send));
console.log((performance.now() - begun) / 1000);
await pool.close();
