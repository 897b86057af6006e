import type { AgentAddress, SpawnFields } from '@skein/client'
import { quoteWord } from './shell-quote.ts'

/** The equivalent curl request. The key comes from the environment, so that it doesn't end up in the history. */
export function formatSpawnCall(baseUrl: string, fields: SpawnFields, parent?: AgentAddress): string {
  return [
    `curl -X POST ${quoteWord(`${baseUrl}/v1/agent/spawn`)}`,
    '-H "Authorization: Bearer $SKEIN_API_KEY"',
    "-H 'Content-Type: application/json'",
    `--data ${quoteWord(JSON.stringify(toBody(fields, parent), null, 2))}`,
  ].join(' \\\n  ')
}

function toBody({ name, workspace, agentId: _agentId, ...rest }: SpawnFields, parent?: AgentAddress) {
  const path = [...(parent?.agent ?? []), ...(name === undefined ? [] : [name])]
  const agentId = {
    ...parent,
    ...(parent === undefined && workspace !== undefined && { workspace }),
    ...(path.length > 0 && { agent: path }),
  }
  return { ...(Object.keys(agentId).length > 0 && { agentId }), ...rest }
}
