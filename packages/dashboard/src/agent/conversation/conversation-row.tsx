import { memo } from 'react'
import type { ConversationItem } from './items.ts'
import { FromAgentItem, ToAgentItem } from './message-items.tsx'
import { NoteRow } from './note-row.tsx'
import type { OpenItems } from './open-items.ts'
import { PushItem } from './push-item.tsx'
import { RunEndItem, RunStartItem } from './run-items.tsx'
import { ToolItem } from './tool-item.tsx'

interface Props {
  readonly item: ConversationItem
  readonly opened: OpenItems
  readonly highlighted: number | undefined
}

export const ConversationRow = memo(function ConversationRow({ item, opened, highlighted }: Props) {
  switch (item.type) {
    case 'to-agent':
      return <ToAgentItem item={item} />
    case 'from-agent':
      return <FromAgentItem item={item} />
    case 'tools':
      return <ToolItem item={item} opened={opened} highlighted={highlighted} />
    case 'run-start':
      return <RunStartItem item={item} />
    case 'run-end':
      return <RunEndItem item={item} />
    case 'push':
      return <PushItem item={item} />
    case 'note':
      return <NoteRow item={item} />
  }
})
