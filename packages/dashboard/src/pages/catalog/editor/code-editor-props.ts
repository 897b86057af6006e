import type { TextProblem } from '@skein/resource-files'
import type { Ref } from 'react'

export interface CodeEditorHandle {
  /** Puts the cursor at a place of the text, and the focus into the editor. */
  readonly goTo: (offset: number) => void
}

export interface CodeEditorProps {
  readonly label: string
  readonly value: string
  readonly format: 'yaml' | 'markdown'
  readonly isReadOnly?: boolean
  readonly problems: readonly TextProblem[]
  readonly onChange?: (value: string) => void
  readonly ref?: Ref<CodeEditorHandle>
}
