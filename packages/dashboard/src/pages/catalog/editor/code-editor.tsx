import { lazy, Suspense } from 'react'
import type { CodeEditorProps } from './code-editor-props.ts'

const CodeEditorBody = lazy(() => import('./code-editor-body.tsx'))

/** Loaded when it is first needed: it is larger than the rest of the page. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<pre className="p-3 text-xs break-words whitespace-pre-wrap">{props.value}</pre>}>
      {/* What the editor is cannot change while it is open. */}
      <CodeEditorBody key={`${props.label} ${props.format} ${String(props.isReadOnly)}`} {...props} />
    </Suspense>
  )
}
