/** `millrace config` over HTTP: variables are replaced and files are read here, for the service sees neither. */
import type { Plan } from '../../admin/apply-config.ts';
import { resolvedText } from '../../catalog/declare/file.ts';
import { MillraceError } from '../../model/errors.ts';
import type { Running } from '../table/command.ts';
import { readJson } from '../table/json.ts';
import { textAt } from '../table/tell.ts';
import { planText } from '../tell-plan.ts';
import { isAgreed, PLACE, person } from '../terminal.ts';

/** Something differs. */
const DIFFERS = 2;

const wishesOf = ({ arguments: [file], options }: Running): { yaml: string; prune?: boolean; adopt?: string[] } => ({
  yaml: resolvedText(PLACE.env, file ?? (PLACE.env.CONFIG_FILE_PATH || 'millrace.yaml')),
  ...(options.prune === true ? { prune: true } : {}),
  ...(Array.isArray(options.adopt) ? { adopt: options.adopt } : {}),
});

export async function plan(running: Running): Promise<number> {
  const { text } = await running.client.ask({ route: 'POST /api/config/plan', body: wishesOf(running) });
  const planned: Plan = Object(readJson(text));
  process.stdout.write(running.everywhere.json ? `${text}\n` : planText(planned));
  return planned.changes.length > 0 ? DIFFERS : 0;
}

/** Plans, asks, and applies exactly that. @throws MillraceError */
export async function apply(running: Running): Promise<number> {
  const { client, everywhere, options } = running;
  const { json, yes } = everywhere;
  const wishes = wishesOf(running);
  const planned: Plan = Object(readJson((await client.ask({ route: 'POST /api/config/plan', body: wishes })).text));
  if (!json && !everywhere.quiet) process.stdout.write(planText(planned));
  const force = options.force === true;
  if (planned.losses.length > 0 && !force) {
    throw new MillraceError('needs_force', `Nothing was applied: ${planned.losses.join('; ')}`, {
      remedy: 'Add --force if that may be lost.',
    });
  }
  if (planned.changes.length > 0 && !yes && options.autoApprove !== true) {
    const unasked = { message: 'nobody can be asked whether to apply this', remedy: 'Add --auto-approve.' };
    if (!(await isAgreed(person(), 'Apply this? [y/N] ', unasked))) {
      process.stdout.write('Nothing was applied.\n');
      return 1;
    }
  }
  const body = { ...wishes, force, generation: planned.generation };
  const { text } = await client.ask({ route: 'POST /api/config/apply', body });
  const isSame = planned.changes.length === 0;
  process.stdout.write(json ? `${text}\n` : isSame ? 'Nothing was to be done.\n' : 'Applied.\n');
  return 0;
}

export async function exported({ client, everywhere, options }: Running): Promise<number> {
  if (options.reveal === true) {
    throw new MillraceError('bad_request', 'no service shows secrets over HTTP', {
      remedy: 'Run it with DATABASE_URL and SECRET_KEY, and without MILLRACE_URL.',
    });
  }
  const { text } = await client.ask({ route: 'GET /api/config/export' });
  process.stdout.write(everywhere.json ? `${text}\n` : textAt(readJson(text), 'yaml'));
  return 0;
}
