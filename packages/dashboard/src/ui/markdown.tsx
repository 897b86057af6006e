import { lazy, Suspense } from 'react'
import { FallbackBoundary } from './fallback-boundary.tsx'

const MarkdownBody = lazy(() => import('./markdown-body.tsx'))

/** What an agent or a person wrote. Until the renderer is there, or if it never comes, the text shows as it is. */
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
