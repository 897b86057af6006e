import { SkeinError, type AnswerThreadRequest } from '@skein/contract'
import { isCurrent, parseThreadName, type Caller } from '@skein/core'
import { AgentReader, PullRequestStore, ReviewThreadStore, touchLeases } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { parseLease } from '../../lease-id.ts'
import type { EngineResources } from '../../resources.ts'
import { runnerName } from '../../runs/runner-name.ts'

/** Records an agent's answer to a thread that it was given. It is posted when the agent rests. */
export async function answerThread(
  { database, leaseMs }: EngineResources,
  caller: Caller,
  { lease: leaseText, thread, text, resolve = false }: AnswerThreadRequest,
): Promise<{ thread: string }> {
  const lease = parseLease(leaseText)
  const { tenantId, agentId } = lease
  const mine = await database.statement((transaction) =>
    touchLeases(transaction, runnerName(caller), [lease], leaseMs),
  )
  if (!mine.has(agentId)) throw notHeld()
  const { name, key } = parseThreadName(thread)
  await database.forTenant(tenantId, async (transaction) => {
    const [agent] = await new AgentReader(transaction).findAll([agentId])
    if (!agent || !isCurrent(agent, lease)) throw notHeld()
    const answer = { id: uuidV7(), text: text.replaceAll('\0', ''), resolves: resolve }
    const place = { pullRequest: name, thread: key }
    if (!(await new ReviewThreadStore(transaction).answer(agentId, place, answer))) {
      throw new SkeinError('REVIEW_THREAD_NOT_FOUND')
    }
    await new PullRequestStore(transaction).hurry(name)
  })
  return { thread }
}

function notHeld(): SkeinError {
  return new SkeinError('RUN_NOT_CURRENT', { message: 'This runner no longer has the run.' })
}
