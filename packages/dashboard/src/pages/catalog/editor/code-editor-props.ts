import type { TextProblem } from '@skein/resource-files'
import type { Ref } from 'react'

export interface CodeEditorHandle {
  /** Moves the cursor and the focus to a position in the text. */
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
