import type { AgentId, FleetPullRequest } from '@skein/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { agentKey } from '../../format/agent-link.ts'
import type { FleetItem } from '../../live/fleet-item.ts'
import { skein } from '../../session/skein.ts'

/** Servers look at the code host every few minutes, or when it sends a webhook. */
export const REFRESH_MS = 20_000
/** As many as the service answers at once. */
const MOST = 100
/** Scrolling asks no more often. */
const ASK_EVERY_MS = 400

/** The pull requests of the agents in sight, by the agents' keys, in one request. */
export function usePullRequests(inSight: readonly FleetItem[]): ReadonlyMap<string, FleetPullRequest> {
  const asked = useEverySoOften(inSight)
  const { data } = useQuery({
    queryKey: ['fleet-pull-requests', asked.text],
    queryFn: ({ signal }) => skein.fleetPullRequests(asked.agentIds, { signal }),
    enabled: asked.agentIds.length > 0,
    refetchInterval: REFRESH_MS,
    // Rows that stay in sight keep theirs meanwhile.
    placeholderData: keepPreviousData,
  })
  return useMemo(() => new Map(data?.map((pulls) => [agentKey(pulls.agentId), pulls])), [data])
}

interface Asked {
  readonly agentIds: readonly AgentId[]
  /** The same for the same agents, in whatever order they are. */
  readonly text: string
}

const NOBODY: Asked = { agentIds: [], text: '' }

function useEverySoOften(inSight: readonly FleetItem[]): Asked {
  const [asked, setAsked] = useState(NOBODY)
  const latest = useRef(NOBODY)
  const timer = useRef<number>(undefined)
  useEffect(() => {
    const items = inSight.slice(0, MOST).toSorted((left, right) => (left.key < right.key ? -1 : 1))
    const text = items.map(({ key }) => key).join('\n')
    if (text === latest.current.text) return
    latest.current = { text, agentIds: items.map(({ entry }) => entry.agentId) }
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      setAsked(latest.current)
    }, ASK_EVERY_MS)
  }, [inSight])
  useEffect(
    () => () => {
      window.clearTimeout(timer.current)
      timer.current = undefined
      latest.current = NOBODY
    },
    [],
  )
  return asked
}
