import {
  formatInt64,
  formatTimestamp,
  SkeinError,
  type BodyOf,
  type readUsage as operation,
  type ResponseOf,
} from '@skein/contract'
import { addUsage, listedWorkspaces, NO_USAGE, type Caller, type Usage } from '@skein/core'
import { readUsageSums, type UsageSum } from '@skein/store'
import { toDollars } from '../agents/describe-agent.ts'
import type { EngineResources } from '../resources.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MAX_GROUPS = 20

const PERIODS = {
  '24h': { unit: 'hour', stepMs: HOUR_MS, steps: 24 },
  '7d': { unit: 'day', stepMs: DAY_MS, steps: 7 },
  '30d': { unit: 'day', stepMs: DAY_MS, steps: 30 },
} as const

type Asked = Omit<BodyOf<typeof operation>, 'tenant'>
type Answer = ResponseOf<typeof operation>
type Group = Answer['groups'][number]

/** Whole hours or days in UTC, including the current one. */
export async function readUsage(
  { database, clock }: EngineResources,
  caller: Caller,
  tenantId: string,
  { period = '24h', groupBy = 'workspace', label = '' }: Asked,
): Promise<Answer> {
  requireNoRun(caller)
  requireLabel(groupBy, label)
  const { unit, stepMs, steps } = PERIODS[period]
  const current = Math.floor(clock.now() / stepMs) * stepMs
  const times = Array.from({ length: steps }, (_, index) => current - (steps - 1 - index) * stepMs)
  const query = {
    since: times[0] ?? current,
    unit,
    groupBy,
    label,
    workspaces: listedWorkspaces(caller),
    most: MAX_GROUPS,
  }
  const { sums, others } = await database.forTenant(tenantId, (transaction) =>
    readUsageSums(transaction, query),
  )
  const groups = [...Map.groupBy(sums, ({ name }) => name)]
    .map(([name, parts]) => ({ name, usage: total(parts), parts }))
    .toSorted((one, other) => compare(other.usage, one.usage))
  const describe = ({ name = '', parts }: { name?: string | undefined; parts: UsageSum[] }): Group => ({
    name,
    ...describeUsage(total(parts)),
    times: times.map((time) => describeUsage(total(parts.filter((part) => part.time === time)))),
  })
  const rest = groups.find(({ name }) => name === undefined)
  return {
    times: times.map(formatTimestamp),
    groups: groups.filter(({ name }) => name !== undefined).map(describe),
    ...(rest && { others: describe(rest) }),
    otherGroups: others,
    total: describeUsage(total(sums)),
  }
}

/** A run sees its own subtree, which has no totals. */
function requireNoRun({ role, within }: Caller): void {
  if (!within) return
  throw new SkeinError('PERMISSION_MISSING', {
    message: 'The key of a run cannot read usage.',
    metadata: { permission: 'agent.read', role },
  })
}

function requireLabel(groupBy: string, label: string): void {
  if ((groupBy === 'label') === (label !== '')) return
  const description = label === '' ? 'required with groupBy label' : 'only with groupBy label'
  throw new SkeinError('REQUEST_INVALID', { violations: [{ field: 'label', description }] })
}

function total(parts: readonly UsageSum[]): Usage {
  return parts.reduce<Usage>(addUsage, NO_USAGE)
}

function compare(one: Usage, other: Usage): number {
  const difference = one.costMicros - other.costMicros || one.inputTokens - other.inputTokens
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

function describeUsage({ costMicros, inputTokens, cachedInputTokens, outputTokens }: Usage) {
  return {
    cost: toDollars(costMicros),
    inputTokens: formatInt64(inputTokens),
    cachedInputTokens: formatInt64(cachedInputTokens),
    outputTokens: formatInt64(outputTokens),
  }
}
