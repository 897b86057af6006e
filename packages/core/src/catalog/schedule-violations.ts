import { parseDuration, type FieldViolation } from '@skein/contract'
import { isName } from '@skein/contract/facts'
import { longestAgentName, TIME_PLACEHOLDER } from '../automations/schedules/firing-names.ts'
import { timingViolations } from '../automations/schedules/timing-violations.ts'
import { isDocument, type Document } from './document.ts'

const MAX_WINDOW_MS = 7 * 24 * 60 * 60 * 1000

/** Rules that the schema of a schedule cannot express. */
export function* scheduleViolations(document: Document): Generator<FieldViolation> {
  const { cron, every, startTime, endTime } = document
  yield* timingViolations({
    ...(typeof cron === 'string' && { cron }),
    ...(typeof every === 'string' && { every }),
    ...(typeof startTime === 'string' && { startTime }),
    ...(typeof endTime === 'string' && { endTime }),
    timeZone: String(document['timeZone']),
    jitter: String(document['jitter']),
  })
  yield* windowViolation(document['catchUp'])
  yield* actionViolations(document)
}

function* windowViolation(catchUp: unknown): Generator<FieldViolation> {
  const window = isDocument(catchUp) ? parseDuration(String(catchUp['window'])) : undefined
  if (window !== undefined && window <= MAX_WINDOW_MS) return
  yield { field: 'catchUp.window', description: `must be at most ${MAX_WINDOW_MS / 1000}s` }
}

function* actionViolations({ spawn, send, overlap }: Document): Generator<FieldViolation> {
  if (spawn === undefined && send === undefined) {
    yield { field: 'spawn', description: 'set spawn, send or both' }
  }
  if (!isDocument(spawn)) return
  const pattern = String(spawn['agent'])
  if (pattern === '') return
  if (send !== undefined) {
    yield { field: 'spawn.agent', description: 'must be empty with send, which names the agent' }
  } else if (!isName(longestAgentName(pattern))) {
    yield {
      field: 'spawn.agent',
      description: `must be a name; ${TIME_PLACEHOLDER} takes ${longestAgentName(TIME_PLACEHOLDER).length} of its 63 characters`,
    }
  } else if (overlap === 'allow' && !pattern.includes(TIME_PLACEHOLDER)) {
    yield { field: 'spawn.agent', description: `must contain ${TIME_PLACEHOLDER} if agents may overlap` }
  }
}
