/** What clients say of their leases, told to the database. */
import { failpoint } from '../runtime/failpoint.ts';

/** Between the places where tests let a process die. */
export async function answering<Result>(tell: () => Promise<Result>): Promise<Result> {
  failpoint('receive/before-answer');
  const result = await tell();
  failpoint('receive/after-answer');
  return result;
}
