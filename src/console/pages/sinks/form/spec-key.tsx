import {
  AreaKey,
  FigureKey,
  FlagKey,
  LinesKey,
  PairsKey,
  SecretKey,
  TextKey,
  WordKey,
} from '../../../parts/form/controls.tsx';
import { useField } from '../../../parts/form/form.tsx';
import type { Spec } from './destinations.ts';

const STARS = 'Asterisks keep the stored value.';

/** The field of a key of a destination. */
export function SpecKey({ spec }: { spec: Spec }) {
  const { key, label, as, hint, placeholder, fallback } = spec;
  const { isStored } = useField('name');
  const shared = { path: `destination.${key}`, label, placeholder };
  const starred = [hint, isStored && STARS].filter(Boolean).join('. ');
  switch (as) {
    case 'text':
      return <TextKey {...shared} hint={hint} />;
    case 'figure':
      return <FigureKey {...shared} hint={hint} fallback={fallback} />;
    case 'flag':
      return <FlagKey {...shared} hint={hint} fallback={fallback === true} />;
    case 'secret':
      return <SecretKey {...shared} hint={hint} />;
    case 'pairs':
      return <PairsKey {...shared} hint={hint} />;
    case 'secret-pairs':
      return <PairsKey {...shared} hint={starred} />;
    case 'secret-lines':
      return <LinesKey {...shared} hint={starred} />;
    case 'area':
      return <AreaKey {...shared} hint={hint} read={(text) => text || null} write={(value) => String(value ?? '')} />;
    default:
      return <WordKey {...shared} hint={hint} words={as} fallback={fallback} />;
  }
}
