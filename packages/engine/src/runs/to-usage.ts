import type { HeartbeatRun } from '@skein/contract'
import type { MeteredUsage } from '@skein/core'
import { toMicros } from '../agents/describe-agent.ts'

export function toUsage(usage: HeartbeatRun['usage']): MeteredUsage | undefined {
  return (
    usage && {
      costMicros: toMicros(usage.cost),
      inputTokens: BigInt(usage.inputTokens),
      cachedInputTokens: BigInt(usage.cachedInputTokens),
      outputTokens: BigInt(usage.outputTokens),
      ...(usage.model !== undefined && { model: usage.model }),
    }
  )
}
