import type { CodeHostDocument } from '@skein/contract'
import {
  agentKey,
  describeContinuation,
  describeStart,
  describeWakeUp,
  isLive,
  isSameText,
  issueUrl,
  pullRequestName,
  START_LIMITS,
  type AgentIdentity,
  type StartOrder,
  type StartOutcome,
  type StartState,
} from '@skein/core'
import {
  AgentReader,
  HostIssueStore,
  HostWatchStore,
  PullRequestStore,
  type StartCounts,
  type Transaction,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { HoldLost } from '../reviews/keeping-fetch.ts'
import { placeDigest } from '../record-pull-request.ts'
import type { GatheredRequests } from './gather-requests.ts'
import type { IssueContext } from './issue-context.ts'

/** The agent that works on an issue, or is to. */
interface Target {
  readonly identity: AgentIdentity
  readonly command: StartOrder['command']
  /** The review loop gives it the comments. */
  readonly isReviewed: boolean
  /** It was started for this issue, or is to be. */
  readonly isOwn: boolean
}

/** Decides what becomes of requests and stores it, with what they count for the limits, in one transaction. */
export async function planOrder(
  context: IssueContext,
  document: CodeHostDocument,
  gathered: GatheredRequests,
): Promise<StartState> {
  const { engine, held } = context
  return engine.database.forTenant(held.tenantId, async (transaction) => {
    const state = await decide(transaction, context, document, gathered)
    if (!(await new HostIssueStore(transaction).save(held, state))) throw new HoldLost()
    return state
  })
}

async function decide(
  transaction: Transaction,
  context: IssueContext,
  document: CodeHostDocument,
  gathered: GatheredRequests,
): Promise<StartState> {
  const { engine, held, policy } = context
  const { state, issue, requests, isIssueTrusted } = gathered
  const newest = requests.at(-1)
  // A closed one starts nothing, even after it is reopened: someone has to ask again.
  if (!newest || !issue.isOpen) return state
  // Or the workspace no longer wants it since the step began.
  if (!(await new HostWatchStore(transaction).find(held))) return state
  const store = new HostIssueStore(transaction)
  const { person } = newest
  const counts = await store.countStarts(held, person)
  const target = await findTarget(transaction, context, issue.pull !== undefined)
  if (!target) return state
  const streak = nextStreak(state.streak, person, engine.clock.now())
  const outcome =
    refusalOf(context, gathered, counts) ?? (streak.orders > START_LIMITS.streak ? 'streak' : undefined)
  // Refusals have an end too: who keeps asking gets no more answers.
  if (outcome && counts.asked >= 2 * policy.perPerson) return state
  if (streak.orders > START_LIMITS.streak + 1) return { ...state, streak }
  const id = uuidV7()
  await store.beginStart(held, { id, person, isRefused: outcome !== undefined })
  const url = issueUrl(document, held.repository, issue)
  const text = { issue, url, requests, isIssueTrusted, instructions: policy.instructions }
  const order: StartOrder = {
    id,
    person,
    plannedAt: engine.clock.now(),
    agent: target.identity,
    command: target.command,
    tries: 0,
    description: describeStart(text),
    message: target.isReviewed ? describeWakeUp(text) : describeContinuation(text),
    isOwn: target.isOwn,
    isPull: issue.pull !== undefined,
    ...(outcome && { outcome }),
  }
  return { ...state, streak, phase: outcome ? 'replying' : 'starting', order }
}

function nextStreak(
  { person: before, orders, at }: StartState['streak'],
  person: string,
  now: number,
): StartState['streak'] {
  const isGoingOn = isSameText(before, person) && now - at < START_LIMITS.streakMs
  return { person, orders: isGoingOn ? orders + 1 : 1, at: now }
}

function refusalOf(
  { policy }: IssueContext,
  { issue, requests, isIssueTrusted }: GatheredRequests,
  counts: StartCounts,
): StartOutcome | undefined {
  if (issue.pull?.isFromFork === true) return 'fork'
  if (!isIssueTrusted && requests.every(({ text }) => text === '')) return 'stranger'
  if (counts.ofPerson >= policy.perPerson) return 'person-limit'
  if (counts.ofRepository >= policy.perRepository) return 'repository-limit'
  return counts.ofTenant >= START_LIMITS.perTenant ? 'tenant-limit' : undefined
}

/** Undefined if nobody is to be told: the review loop tells the agent whose pull request it is. */
async function findTarget(
  transaction: Transaction,
  context: IssueContext,
  isPull: boolean,
): Promise<Target | undefined> {
  const { held, policy, hasReviews } = context
  const { codeHost, repository, number, workspace } = held
  const agents = new AgentReader(transaction)
  const record = isPull
    ? await new PullRequestStore(transaction).findAt(codeHost, repository, number)
    : undefined
  const [owner] = record ? await agents.findAll([record.agentId]) : []
  const isOfProfile =
    owner?.identity.ownerProvider === 'PROVIDER_SERVICE_PROFILE' && owner.identity.account === policy.profile
  if (owner && owner.identity.workspace !== workspace) return undefined
  // An agent of a person that has ended is not brought back in that person's name.
  if (owner && (isLive(owner) || isOfProfile)) {
    if (hasReviews && isLive(owner)) return undefined
    return {
      identity: owner.identity,
      command: isLive(owner) ? 'send' : 'resume',
      isReviewed: hasReviews,
      isOwn: false,
    }
  }
  const identity: AgentIdentity = {
    workspace,
    ownerProvider: 'PROVIDER_SERVICE_PROFILE',
    account: policy.profile,
    path: [pullRequestName(repository, number, placeDigest(codeHost, repository))],
  }
  const known = await agents.find(agentKey(identity))
  const command = known ? (isLive(known) ? 'send' : 'resume') : 'spawn'
  return { identity, command, isReviewed: false, isOwn: true }
}
