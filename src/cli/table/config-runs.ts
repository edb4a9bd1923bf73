/** What `millrace config` does: variables are replaced and files are read here, for whoever applies it may see neither. */
import type { Plan } from '../../admin/apply-config.ts';
import { resolvedText } from '../../catalog/declare/file.ts';
import { faultLine, MillraceError } from '../../model/errors.ts';
import { tellPlan } from '../tell-plan.ts';
import { isAgreed, PLACE, remark } from '../terminal.ts';
import type { Running } from './command.ts';
import { readJson } from './json.ts';
import { textAt } from './tell.ts';

/** Something differs. */
const DIFFERS = 2;

const fileOf = ({ arguments: [file] }: Running): string => file ?? (PLACE.env.CONFIG_FILE_PATH || 'millrace.yaml');

interface Wishes {
  yaml: string;
  prune?: boolean;
  adopt?: string[];
}

function wishesOf(running: Running): Wishes {
  const { prune, adopt } = running.options;
  return {
    yaml: resolvedText(PLACE.env, fileOf(running)),
    ...(prune === true ? { prune } : {}),
    ...(Array.isArray(adopt) ? { adopt } : {}),
  };
}

async function planned({ client }: Running, wishes: Wishes): Promise<{ text: string; plan: Plan }> {
  const { text } = await client.ask({ route: 'POST /api/config/plan', body: wishes });
  return { text, plan: Object(readJson(text)) };
}

/** @throws MillraceError */
export async function plan(running: Running): Promise<number> {
  const { text, plan: found } = await planned(running, wishesOf(running));
  running.person.say(running.everywhere.json ? text : planText(found));
  return found.changes.length > 0 ? DIFFERS : 0;
}

/** Where something stands in the text that was sent is not where it stands in the file. */
function planText(found: Plan): string {
  const warnings = found.warnings.map((warning) => warning.replace(/ \(line \d+, column \d+\):/, ':'));
  return tellPlan({ ...found, warnings }).trimEnd();
}

/** Plans, asks, and applies exactly that. @throws MillraceError */
export async function apply(running: Running): Promise<number> {
  const { client, everywhere, options, person } = running;
  const wishes = wishesOf(running);
  const { plan: found } = await planned(running, wishes);
  if (!everywhere.json && !everywhere.quiet) person.say(planText(found));
  const force = options.force === true;
  if (found.losses.length > 0 && !force) {
    throw new MillraceError('needs_force', `Nothing was applied: ${found.losses.join('; ')}`, {
      remedy: 'Add --force if that may be lost.',
    });
  }
  if (found.changes.length > 0 && !everywhere.yes && options.autoApprove !== true) {
    const unasked = {
      message: 'applying this must be confirmed, and there is no terminal',
      remedy: 'Add --auto-approve.',
    };
    if (!(await isAgreed(person, 'Apply this? [y/N] ', unasked))) {
      remark(running, 'Nothing was applied.');
      return 1;
    }
  }
  const body = { ...wishes, force, generation: found.generation };
  const { text } = await client.ask({ route: 'POST /api/config/apply', body });
  const isSame = found.changes.length === 0;
  person.say(everywhere.json ? text : isSame ? 'There was nothing to do.' : 'Applied.');
  return 0;
}

/** @throws MillraceError */
export async function exported({ client, everywhere, options, person }: Running): Promise<number> {
  if (options.reveal === true && client.exportRevealed === undefined) {
    throw new MillraceError('bad_request', 'no service shows secrets over HTTP', {
      remedy: 'Run it with DATABASE_URL and SECRET_KEY, and without MILLRACE_URL.',
    });
  }
  const text =
    options.reveal === true && client.exportRevealed !== undefined
      ? JSON.stringify({ yaml: await client.exportRevealed() })
      : (await client.ask({ route: 'GET /api/config/export' })).text;
  if (everywhere.json) person.say(text);
  else process.stdout.write(textAt(readJson(text), 'yaml'));
  return 0;
}

/** @throws MillraceError bad_configuration */
export async function validated(running: Running): Promise<number> {
  const { validateFile } = await import('../validate-file.ts');
  const warnings = await validateFile(PLACE.env, fileOf(running));
  for (const warning of warnings) process.stderr.write(`${faultLine(warning)}\n`);
  running.person.say(running.everywhere.json ? JSON.stringify({ warnings }) : 'No fault was found.');
  return 0;
}
