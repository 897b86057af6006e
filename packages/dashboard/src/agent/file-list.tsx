const SHOWN = 8

/** The first few files, with the rest collapsed: a push may touch thousands. */
export function FileList({ files }: { readonly files: readonly string[] }) {
  if (files.length === 0) return null
  const rest = files.slice(SHOWN)
  return (
    <div className="mt-1.5 min-w-0 font-mono text-xs">
      <Names files={files.slice(0, SHOWN)} />
      {rest.length > 0 && (
        <details>
          <summary className="py-0.5 font-sans text-muted">and {rest.length} more</summary>
          <Names files={rest} />
        </details>
      )}
    </div>
  )
}

function Names({ files }: { readonly files: readonly string[] }) {
  return (
    <ul>
      {files.map((file) => (
        <li key={file} className="break-all">
          {file}
        </li>
      ))}
    </ul>
  )
}
