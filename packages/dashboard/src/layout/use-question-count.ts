import { useQuery } from '@tanstack/react-query'
import { skein } from '../session/skein.ts'

/** The number of agents asking something. */
export function useQuestionCount(): number {
  const { data } = useQuery({
    queryKey: ['inbox-count'],
    queryFn: ({ signal }) => skein.fleetSummary({ account: '*', hours: 1, signal }),
    refetchInterval: 10_000,
  })
  return data?.needsInput ?? 0
}
