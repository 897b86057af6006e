import { lazy, Suspense } from 'react'
import type { CodeEditorProps } from './code-editor-props.ts'

const CodeEditorBody = lazy(() => import('./code-editor-body.tsx'))

/** Loaded on demand: it is larger than the rest of the page. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<pre className="p-3 text-xs break-words whitespace-pre-wrap">{props.value}</pre>}>
      {/* These properties cannot change while the editor is open. */}
      <CodeEditorBody key={`${props.label} ${props.format} ${String(props.isReadOnly)}`} {...props} />
    </Suspense>
  )
}
