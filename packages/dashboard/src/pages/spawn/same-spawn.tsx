import type { AgentAddress, SpawnFields } from '@skein/client'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy-button.tsx'
import { LocalTabs } from '../../ui/tabs.tsx'
import { formatSpawnCall } from './spawn-call.ts'
import { formatSpawnCommand } from './spawn-command.ts'

/** The equivalent command for a terminal or script. */
export function SameSpawn({
  fields,
  parent,
  parentName,
}: {
  readonly fields: SpawnFields
  readonly parent: AgentAddress | undefined
  readonly parentName: string | undefined
}) {
  return (
    <Card title="Equivalent command">
      <div className="p-4 pt-2">
        <LocalTabs
          label="Ways to spawn"
          tabs={[
            {
              id: 'cli',
              label: 'Command line',
              content: <CodeBlock label="Command" text={formatSpawnCommand(fields, parentName)} />,
            },
            {
              id: 'http',
              label: 'HTTP',
              content: (
                <CodeBlock label="Request" text={formatSpawnCall(window.location.origin, fields, parent)} />
              ),
            },
          ]}
        />
      </div>
    </Card>
  )
}
