import { lazy, Suspense } from 'react'
import { FallbackBoundary } from '../fallback-boundary.tsx'

const MarkdownBody = lazy(() => import('./markdown-body.tsx'))

/** Text by an agent or a person. Shown as plain text until the renderer is loaded, or if it fails. */
export function Markdown({ text }: { readonly text: string }) {
  const plain = <p className="text-sm leading-relaxed break-words whitespace-pre-wrap">{text}</p>
  return (
    <FallbackBoundary fallback={plain}>
      <Suspense fallback={plain}>
        <MarkdownBody text={text} />
      </Suspense>
    </FallbackBoundary>
  )
}
