/** How a test of a connection is answered: 200 when nothing is an error, else 422, with every check in both. */
import { z } from 'zod';
import type { Check } from '../admin/doctor/check.ts';
import { MillraceError } from '../model/errors.ts';
import { CheckShape, shownCheck } from './check-shape.ts';
import type { Asking } from './route.ts';

export const Tested = z.looseObject({ success: z.literal(true), checks: z.array(CheckShape) });

/** @throws MillraceError test_failed, destination_denied */
export function tested(checks: readonly Check[], asking: Asking): z.input<typeof Tested> {
  const shown = checks.map((check) => shownCheck(check, asking));
  const wrong = checks.filter(({ status }) => status === 'error');
  if (wrong.length === 0) return { success: true, checks: shown };
  const denied = wrong.find(({ id }) => id === 'destination_denied');
  const { summary, remedy, sql } = denied ?? wrong[0]!;
  const todo = remedy ?? sql;
  throw new MillraceError(denied ? 'destination_denied' : 'test_failed', summary, {
    ...(todo === null ? {} : { remedy: todo }),
    facts: { success: false, reason: summary, checks: shown },
  });
}

/** What is sent along is somebody's who may change it. @throws MillraceError forbidden */
export function refuseDraft(asking: Asking): void {
  if (asking.may('admin')) return;
  throw new MillraceError('forbidden', 'The token does not have the scope `admin`, which a test with a body needs', {
    remedy: 'Send no body to test what is stored, or give the token that scope.',
    facts: { needs: 'admin' },
  });
}
