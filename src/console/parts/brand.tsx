/** The mark and the name; the mark is that of icon.svg, in the colours of the page. */
export function Brand() {
  return (
    <span className="inline-flex items-center gap-2 text-lg font-semibold">
      <svg viewBox="0 0 16 16" width={20} height={20} aria-hidden className="shrink-0">
        <rect width="16" height="16" rx="3" className="fill-accent" />
        <path
          d="M3 12V5l3 4 2-3 2 3 3-4v7"
          fill="none"
          strokeWidth="1.8"
          strokeLinejoin="round"
          strokeLinecap="round"
          className="stroke-on-accent"
        />
      </svg>
      Millrace
    </span>
  );
}
