import { SkeinApiError, SkeinClientError, type Transport } from '@skein/client'
import { answerThread, cutText, openPullRequest, type Assignment } from '@skein/contract'
import { aborted } from '../aborted.ts'
import type { Push } from '../git-front/git-front.ts'
import { GitError } from '../git/git-error.ts'
import type {
  AskedPullRequest,
  OpenedPullRequest,
  PullRequests,
  ThreadAnswer,
} from '../tools/pull-requests.ts'
import { ToolRefusal } from '../tools/tool.ts'
import type { AgentWorkspace } from '../workspace/agent-workspace.ts'
import { identityOf } from './open-workspace.ts'

/** Programs give up on a tool after a minute. */
const PATIENCE_MS = 45_000
const MAX_TITLE = 200
const MAX_BODY = 16_000
const DRAFT = { draft: true, labels: [], reviewers: [], base: '', intoParent: false }

/** Pull requests for the branch of one run's agent. The service opens them, and knows whether one is open. */
export class OpenPullRequests implements PullRequests {
  readonly #transport: Transport
  readonly #assignment: Assignment
  readonly #workspace: AgentWorkspace
  #last: Promise<unknown> = Promise.resolve()
  #isOpen = false
  /** The last push for which no attempt has begun. */
  #pushed: Pick<Push, 'repo' | 'commit'> | undefined

  constructor(transport: Transport, assignment: Assignment, workspace: AgentWorkspace) {
    this.#transport = transport
    this.#assignment = assignment
    this.#workspace = workspace
  }

  /** One after the other: a draft that is being opened must not be what the agent gets for a finished one. */
  async open(asked: AskedPullRequest): Promise<OpenedPullRequest> {
    const opened = await this.#inTurn(() => this.#open(asked))
    // The service had not finished with an earlier request for a draft, and answered that one.
    return opened.draft && !asked.draft ? this.#inTurn(() => this.#open(asked)) : opened
  }

  /**
   * At the first push, if the workspace wants it. It cannot fail: the next push tries again, and so can the agent. Only the
   * agent's branch can be pushed, so it is the one. At most one attempt waits, for the last push: the end of the run waits
   * for all of them.
   */
  notePush(push: Pick<Push, 'repo' | 'commit'>): void {
    if (this.#assignment.draftAtPush !== true || push.commit === '') return
    const isWaiting = this.#pushed !== undefined
    this.#pushed = push
    if (isWaiting) return
    this.#inTurn(async () => {
      const pushed = this.#pushed
      this.#pushed = undefined
      if (this.#isOpen || !pushed) return
      const { repo, commit } = pushed
      const message = await this.#workspace.messageOf(repo, commit)
      const [subject = '', ...rest] = message.split('\n')
      const title = cutText(subject.trim(), MAX_TITLE) || this.#workspace.names.branch
      const body = cutText(rest.join('\n').trim(), MAX_BODY)
      await this.#open({ ...DRAFT, repo, title, body })
    }).catch(() => undefined)
  }

  /** When nothing is being opened any more, or the run must end at once. */
  async idle(halted: AbortSignal): Promise<void> {
    await Promise.race([this.#last, aborted(halted)])
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  async #open(asked: AskedPullRequest): Promise<OpenedPullRequest> {
    const { repo, title, body, draft, labels, reviewers } = asked
    const standing = await this.#workspace.standing(repo)
    if (!standing) throw new ToolRefusal(`There is no repository ${repo}.`)
    if (!standing.isOnCodeHost) throw new ToolRefusal('This repository is not on a code host.')
    const head = this.#workspace.names.branch
    if (!standing.isPushed) throw new ToolRefusal('Push your branch first: git push -u origin HEAD')
    const base = asked.base || (asked.intoParent ? await this.#parentBranch(repo) : standing.base)
    if (base === '') throw new ToolRefusal('Give a base: the repository had no branch to start from.')
    const { lease } = this.#assignment
    const request = { lease, url: standing.url, title, body, draft, head, base }
    try {
      const opened = await this.#transport.call(openPullRequest, {
        body: { ...request, labels: [...labels], reviewers: [...reviewers] },
        timeoutMs: PATIENCE_MS,
        retries: 0,
      })
      this.#isOpen = true
      return opened
    } catch (error) {
      throw explain(error)
    }
  }

  /** Repeating it has no further effect, so the transport may. */
  async answer(answer: ThreadAnswer): Promise<void> {
    const { lease } = this.#assignment
    await this.#transport.call(answerThread, { body: { lease, ...answer }, timeoutMs: PATIENCE_MS })
  }

  async #parentBranch(repo: string): Promise<string> {
    const { agentId } = this.#assignment
    if (agentId.agent.length < 2) throw new ToolRefusal('No agent started you: leave intoParent out.')
    const parent = identityOf({ ...agentId, agent: agentId.agent.slice(0, -1) })
    try {
      const branch = await this.#workspace.branchOf(repo, parent)
      if (branch === undefined)
        throw new ToolRefusal('The agent that started you has not pushed a branch yet.')
      return branch
    } catch (error) {
      throw error instanceof GitError ? new ToolRefusal(error.message) : error
    }
  }
}

/** The outcome may be unknown. Calling again is safe, so the agent is told to. */
function explain(error: unknown): unknown {
  if (error instanceof SkeinApiError && !error.isRetryable) return error
  if (!(error instanceof SkeinClientError)) return error
  return new ToolRefusal(
    `It is not open yet: ${error.message} Call open_pull_request again in a minute; it will not open a second one.`,
  )
}
