/** A period as pg_cron writes it, whose clock is the calendar's: only what divides an hour or a day comes round evenly. */

/** `0 *\/2 * * *` for 7,200 seconds; undefined for what does not divide an hour into minutes, or a day into hours. */
export function cronSchedule(everySeconds: number): string | undefined {
  const minutes = everySeconds / 60;
  if (minutes === 1) return '* * * * *';
  if (minutes < 60)
    return Number.isInteger(60 / minutes) && Number.isInteger(minutes) ? `*/${minutes} * * * *` : undefined;
  const hours = minutes / 60;
  if (hours === 1) return '0 * * * *';
  if (hours < 24) return Number.isInteger(24 / hours) && Number.isInteger(hours) ? `0 */${hours} * * *` : undefined;
  return hours === 24 ? '0 0 * * *' : undefined;
}
