import type { AgentPullRequest } from '@skein/client'
import type { Mark } from '../../ui/badge.tsx'

/** Open ones; if there are none, the newest of the others. */
export function choosePullRequests(found: readonly AgentPullRequest[]): readonly AgentPullRequest[] {
  const open = found.filter(({ state }) => state === 'open')
  return open.length > 0 ? open : found.slice(0, 1)
}

/** Its state, and for an open one what decides whether it can be merged. */
export function marksOf({ state, draft, checks, isConflicting }: AgentPullRequest): readonly Mark[] {
  if (state === 'merged') return [{ label: 'merged', tone: 'good' }]
  if (state === 'closed') return [{ label: 'closed', tone: 'off' }]
  const marks: Mark[] = [draft ? { label: 'draft', tone: 'off' } : { label: 'open', tone: 'busy' }]
  if (checks === 'passing') marks.push({ label: 'checks pass', tone: 'good' })
  if (checks === 'failing') marks.push({ label: 'checks fail', tone: 'bad' })
  if (checks === 'pending') marks.push({ label: 'checks running', tone: 'busy' })
  if (isConflicting) marks.push({ label: 'conflicts', tone: 'bad' })
  return marks
}

const REVIEWS: Readonly<Record<AgentPullRequest['review'], string>> = {
  watching: 'waiting for reviews',
  working: 'the agent works on the reviews',
  stopped: 'stopped: send the agent a message',
  ended: '',
}

export function describeReview({ state, review, reviewProblem, rounds }: AgentPullRequest): string {
  if (state !== 'open') return ''
  const phase = reviewProblem === '' ? REVIEWS[review] : reviewProblem
  return rounds === 0 ? phase : `${phase} · ${rounds === 1 ? '1 round' : `${rounds} rounds`}`
}

/** All of it in words, for those who cannot see the icons. */
export function describePullRequest(pull: AgentPullRequest): string {
  const words = [...marksOf(pull).map(({ label }) => label), describeReview(pull)]
  return `#${pull.number} ${pull.title}: ${words.filter((word) => word !== '').join(', ')}`
}

/** The URL comes from a document that admins write. Anything but a web address is not linked. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//.test(url)
}
