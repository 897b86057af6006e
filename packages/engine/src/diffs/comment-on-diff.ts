import { createHash } from 'node:crypto'
import { isUuid } from '@skein/contract/facts'
import { SkeinError, type CommentOnDiffRequest } from '@skein/contract'
import { describeDiffComment, diffCommentTask, isLive, queueFollowUp, type DiffComment } from '@skein/core'
import { DiffStore } from '@skein/store'
import { commandAgent, type AgentView } from '../commands/agent-command.ts'
import type { AgentTarget } from '../commands/agent-target.ts'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'

/** Sends the agent a comment on a line that it pushed, as a follow-up with a task. */
export function commentOnDiff(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
  request: CommentOnDiffRequest,
): Promise<CommandOutcome<{ followUpId: string }>> {
  const { ownerProvider, account } = context.caller
  const { diffId, file, side, line, text } = request
  const id = commentIdOf([ownerProvider, account, diffId, file, side, line, text])
  const options = { operation: 'queueFollowUp', followUpId: id, resendsCleared: true }
  return commandAgent(engine, context, target, options, async (view) => {
    const comment = await readComment(view, request)
    return queueFollowUp(
      {
        followUpId: id,
        description: comment ? describeDiffComment(comment) : '',
        tasks: comment ? [diffCommentTask(comment, id)] : [],
        override: {},
        preempt: false,
        steers: false,
        deliverAt: undefined,
      },
      { ...view, isKnown: view.isKnownFollowUp, canDefer: true },
    )
  })
}

/** Undefined if it no longer matters: a comment that was accepted stays so, even if a push has replaced the diff. */
async function readComment(
  { agent, isKnownFollowUp, transaction }: AgentView,
  { diffId, file, side, line, text }: CommentOnDiffRequest,
): Promise<DiffComment | undefined> {
  if (!isLive(agent) || isKnownFollowUp) return undefined
  const found = isUuid(diffId) ? await new DiffStore(transaction).find(agent.id, diffId) : undefined
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
