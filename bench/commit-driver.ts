/**
 * Commits single-row transactions at a steady rate. Each row carries the moment its statement was sent, in microseconds on
 * the machine's monotonic clock, which the receiver reads too. A transaction that is late is not left out.
 * Prints {"sent","seconds"} at its end. Environment: SOURCE_URL, RATE, SECONDS; TABLES: so many are written by turns, the
 * first `orders_1`; FROM: the first key.
 */
import pg from 'pg';
import { rowOf, TABLE } from './changes.ts';

const CONNECTIONS = 16;
const rate = Number(process.env.RATE);
const seconds = Number(process.env.SECONDS);
const total = rate * seconds;

const tables = Number(process.env.TABLES ?? 0);
const from = Number(process.env.FROM ?? 0);
const statementOf = (table: string) => ({
  name: `insert into ${table}`,
  text: `insert into ${table} select ${rowOf('$1::bigint', '$2::bigint')}`,
});
const statements =
  tables === 0
    ? [statementOf(TABLE)]
    : Array.from({ length: tables }, (_, place) => statementOf(`${TABLE}_${place + 1}`));
const free = await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    const client = new pg.Client({ connectionString: process.env.SOURCE_URL! });
    await client.connect();
    return client;
  }),
);
const clients = [...free];
const micros = (): number => Number(process.hrtime.bigint() / 1000n);

let sent = 0;
let done = 0;
const begun = performance.now();
const over = Promise.withResolvers<void>();

function sendDue(): void {
  const due = Math.min(total, Math.floor(((performance.now() - begun) / 1000) * rate) + 1);
  while (sent < due && free.length > 0) {
    const client = free.pop()!;
    sent += 1;
    client.query({ ...statements[sent % statements.length]!, values: [from + sent, micros()] }).then(() => {
      free.push(client);
      done += 1;
      if (done === total) over.resolve();
      else if (sent < due) sendDue();
    }, over.reject);
  }
}

const timer = setInterval(sendDue, 1);
process.on('disconnect', () => process.exit(1));
await over.promise;
clearInterval(timer);
console.log(JSON.stringify({ sent, seconds: (performance.now() - begun) / 1000 }));
await Promise.all(clients.map((client) => client.end()));
process.exit(0);
