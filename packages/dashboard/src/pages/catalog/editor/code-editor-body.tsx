import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { commonmarkLanguage, markdownKeymap } from '@codemirror/lang-markdown'
import { yaml, yamlFrontmatter } from '@codemirror/lang-yaml'
import { bracketMatching, LanguageSupport, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState, Prec, type Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react'
import type { CodeEditorProps } from './code-editor-props.ts'
import { editorColours, editorTheme } from './editor-theme.ts'

// Not the package's `markdown()`, which includes whole parsers for HTML, CSS and JavaScript.
const markdown = new LanguageSupport(commonmarkLanguage, Prec.high(keymap.of(markdownKeymap)))

/** Tab is left to the browser, so that keyboard users can leave the editor. */
export default function CodeEditorBody({
  label,
  value,
  format,
  isReadOnly = false,
  problems,
  onChange,
  ref,
}: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const reportChange = useEffectEvent((text: string) => onChange?.(text))
  const createState = useEffectEvent(() =>
    EditorState.create({
      doc: value,
      extensions: [
        ...setUp(label, format),
        EditorState.readOnly.of(isReadOnly),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) reportChange(update.state.doc.toString())
        }),
      ],
    }),
  )
  useEffect(() => {
    if (host.current === null) return
    const created = new EditorView({ parent: host.current, state: createState() })
    view.current = created
    return () => created.destroy()
  }, [])
  useEffect(() => {
    const current = view.current
    if (current === null || current.state.doc.toString() === value) return
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    const current = view.current
    if (current === null) return
    const { length } = current.state.doc
    const diagnostics = problems.map(({ from, to, message }) => ({
      from: Math.min(from, length),
      to: Math.min(Math.max(from, to), length),
      severity: 'error' as const,
      message,
    }))
    current.dispatch(setDiagnostics(current.state, diagnostics))
  }, [problems])
  useImperativeHandle(ref, () => ({
    goTo: (offset: number) => {
      const current = view.current
      if (current === null) return
      const anchor = Math.min(offset, current.state.doc.length)
      current.dispatch({ selection: { anchor }, scrollIntoView: true })
      current.focus()
    },
  }))
  return (
    <div ref={host} className="h-full min-h-0 border-2 border-transparent focus-within:border-accent-text" />
  )
}

function setUp(label: string, format: CodeEditorProps['format']): Extension[] {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
  return [
    lineNumbers(),
    history(),
    bracketMatching(),
    lintGutter(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    format === 'markdown' ? yamlFrontmatter({ content: markdown }) : yaml(),
    syntaxHighlighting(editorColours),
    editorTheme,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
    ...(nonce === undefined || nonce === '' ? [] : [EditorView.cspNonce.of(nonce)]),
  ]
}
