/** A link to the page of a sink, or of a change retention. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SinkPaths } from '../api/sink-paths.ts';

interface SinkLinkProps {
  /** Of which sort it is: the page of all of them. */
  home: SinkPaths['home'];
  name: string;
  className: string;
  children?: ReactNode;
}

export function SinkLink({ home, name, className, children = name }: SinkLinkProps) {
  return home === '/sinks' ? (
    <Link to="/sinks/$sink" params={{ sink: name }} className={className}>
      {children}
    </Link>
  ) : (
    <Link to="/change-retentions/$retention" params={{ retention: name }} className={className}>
      {children}
    </Link>
  );
}
