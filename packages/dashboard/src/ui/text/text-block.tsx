const MAX_SHOWN = 100_000

/** Text from outside, never rendered as anything else. A browser is slow with a megabyte of it. */
export function TextBlock({ label, text }: { readonly label: string; readonly text: string }) {
  const rest = text.length - MAX_SHOWN
  return (
    <div className="min-w-0">
      <p className="mb-0.5 text-xs text-muted">{label}</p>
      <pre
        tabIndex={0}
        aria-label={label}
        className="max-h-72 overflow-auto rounded-md border border-line bg-raised p-2.5 text-xs break-words whitespace-pre-wrap"
      >
        {text === '' ? '(nothing)' : text.slice(0, MAX_SHOWN)}
      </pre>
      {rest > 0 && <p className="mt-0.5 text-xs text-muted">{rest.toLocaleString('en')} more characters.</p>}
    </div>
  )
}
