/** What a person reads of a plan: each change with what differs, then what follows from it, then the sum. */
import type { Plan } from '../admin/apply-config.ts';
import type { Change } from '../catalog/apply/step.ts';

const SIGNS: Record<Change['action'], string> = { create: '+', update: '~', delete: '-' };
/** Of a value; the rest is left out. */
const LONGEST = 160;

export function tellPlan({ changes, actions, warnings, losses, summary }: Plan): string {
  const lines = [
    ...changes.flatMap(changeLines),
    ...actions.map(({ description }) => `* ${description}`),
    ...losses.map((loss) => `! ${loss}`),
    ...warnings.map((warning) => `Warning: ${warning}`),
    changes.length === 0
      ? 'No changes.'
      : `Plan: ${summary.create} to create, ${summary.update} to change, ${summary.delete} to delete.`,
  ];
  return `${lines.join('\n')}\n`;
}

function changeLines({ action, resource_type: type, name, diff }: Change): string[] {
  const head = `${SIGNS[action]} ${type.replaceAll('_', ' ')} ${name}`;
  return [head, ...diff.map(({ path, old, new: after }) => `    ${path}: ${shown(old)} -> ${shown(after)}`)];
}

function shown(value: unknown): string {
  if (value === null) return '(none)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : line;
}
