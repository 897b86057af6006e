import { createHash } from 'node:crypto'
import { isUuid } from '@skein/contract/facts'
import { SkeinError, type CommentOnDiffRequest } from '@skein/contract'
import { describeDiffComment, diffCommentTask, requireDriver, type DiffComment } from '@skein/core'
import { DiffStore } from '@skein/store'
import { findAgent } from '../agents/read-agent.ts'
import type { AgentTarget } from '../commands/agent-target.ts'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import { queueFollowUp } from '../follow-ups/queue-follow-up.ts'
import type { EngineResources } from '../resources.ts'

/** Sends the agent a comment on a line that it pushed, as a follow-up with a task. */
export async function commentOnDiff(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
  request: CommentOnDiffRequest,
): Promise<CommandOutcome<{ followUpId: string }>> {
  requireDriver(context.caller, target.identity)
  const comment = await readPlace(engine, target, request)
  const { ownerProvider, account } = context.caller
  const id = commentIdOf([ownerProvider, account, request.diffId, comment])
  const followUp = { agentId: {}, description: describeDiffComment(comment), followUpId: id }
  return queueFollowUp(engine, context, target, followUp, [diffCommentTask(comment, id)])
}

async function readPlace(
  engine: EngineResources,
  target: AgentTarget,
  { diffId, file, side, line, text }: CommentOnDiffRequest,
): Promise<DiffComment> {
  const agent = await findAgent(engine, target)
  if (!isUuid(diffId)) throw new SkeinError('DIFF_NOT_FOUND')
  const found = await engine.database.forTenant(target.tenantId, (transaction) =>
    new DiffStore(transaction).find(agent.id, diffId),
  )
  const changed = found?.files[file]
  if (!found || !changed) throw new SkeinError('DIFF_NOT_FOUND')
  const { branch, commit } = found.diff
  const path = side === 'before' && changed.oldPath !== '' ? changed.oldPath : changed.path
  return { path, branch, commit, side, line, text }
}

/** The same person saying the same about the same line is the same comment, however often it is sent. */
function commentIdOf(facts: readonly unknown[]): string {
  return `diff-comment:${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)}`
}
