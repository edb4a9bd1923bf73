/** What a form says, as an entry of the file: the API writes it. */
import type { ReactNode } from 'react';
import { AsText } from '../as-text.tsx';
import { ErrorNote } from '../places.tsx';
import type { Planned } from './plan.ts';

interface AsYamlProps {
  planned: Planned;
  /** What is to be known of it. */
  children: ReactNode;
  /** While there is none: what to fill in. */
  first?: string;
}

export function AsYaml({ planned: { plan, error }, children, first }: AsYamlProps) {
  return (
    <AsText title="As YAML" name="YAML" text={plan && (() => plan.yaml)}>
      {plan && <p>{children}</p>}
      {error && <ErrorNote error={error} />}
      {!plan && !error && <p>{first ?? 'One moment.'}</p>}
    </AsText>
  );
}
