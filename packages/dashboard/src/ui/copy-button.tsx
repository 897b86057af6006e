import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  // Browsers provide no clipboard on pages served over plain HTTP.
  if (!window.isSecureContext) return null
  return (
    <Button
      size="small"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
    >
      {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  )
}

/** Text to copy. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <figure className="min-w-0 rounded-lg border border-line bg-raised">
      <figcaption className="flex items-center justify-between border-b border-line px-3 py-1.5 text-xs text-muted">
        {label}
        <CopyButton text={text} />
      </figcaption>
      {/* It scrolls, so the keyboard must be able to reach it. */}
      <pre tabIndex={0} aria-label={label} className="max-h-96 overflow-auto p-3 text-xs whitespace-pre">
        {text}
      </pre>
    </figure>
  )
}
