/** A process that hands out the reference's rows over HTTP, as people build it: express, a pool, the stored text spliced into the answer. */
import express from 'express';
import { openPool } from '../src/db/pool.ts';
import { PULL_CLIENTS, reference } from './pull.ts';

const db = openPool({ address: process.env.URL!, max: PULL_CLIENTS, applicationName: 'bench', path: 'role' });
const queue = reference(db);
const app = express();
app.use(express.json({ limit: '1mb' }));
app.post('/receive', async (request, response) => {
  const rows = await queue.lease(request.body.batch_size);
  const data = rows.map(({ id, payload }) => `{"ack_id":"${id}","data":${payload}}`);
  response.type('json').send(`{"data":[${data.join(',')}]}`);
});
app.post('/ack', async (request, response) => {
  await queue.remove(request.body.ack_ids);
  response.type('json').send('{"success":true}');
});
const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send!('listening'));
process.on('disconnect', async () => {
  server.close();
  await db.close();
  process.exit();
});
