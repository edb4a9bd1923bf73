/**
 * pg's client, but for a connection on which a statement was not answered in time: it ends, whoever asked. What is asked on it next would
 * stand in line behind that statement, for as long again; and a library that gives it back to its pool says nothing of it.
 */
import pg from 'pg';
import { isUnheard } from '../model/sqlstate.ts';

export class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const ask = this.query.bind(this) as (...asked: unknown[]) => unknown;
    const heard = (...asked: unknown[]): unknown => {
      const answer = ask(...asked);
      if (answer instanceof Promise)
        answer.catch((error: unknown) => {
          // With a query under way this does not wait for the server.
          if (isUnheard(error)) void this.end().catch(() => undefined);
        });
      return answer;
    };
    Object.assign(this, { query: heard });
  }
}
