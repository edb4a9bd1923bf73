import { expect } from 'chai';
import { cronSchedule } from '../../src/model/cron-schedule.ts';

describe('a period as pg_cron writes it', () => {
  const CASES: [seconds: number, schedule: string | undefined][] = [
    [1, undefined],
    [60, '* * * * *'],
    [90, undefined],
    [600, '*/10 * * * *'],
    [420, undefined],
    [3_600, '0 * * * *'],
    [5_400, undefined],
    [43_200, '0 */12 * * *'],
    [18_000, undefined],
    [86_400, '0 0 * * *'],
    [172_800, undefined],
  ];
  for (const [seconds, schedule] of CASES)
    it(`${seconds} s: ${schedule ?? 'none'}`, () => expect(cronSchedule(seconds)).to.equal(schedule));
});
