import { lazy, Suspense } from 'react'

const MarkdownBody = lazy(() => import('./markdown-body.tsx'))

/** What an agent or a person wrote. Until the renderer is there the text shows as it is. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="text-sm leading-relaxed break-words whitespace-pre-wrap">{text}</p>}>
      <MarkdownBody text={text} />
    </Suspense>
  )
}
