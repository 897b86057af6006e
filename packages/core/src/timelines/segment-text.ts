import { isUuid } from '@skein/contract/facts'

/** Whose events a segment has. Part of its text, so that one that is mixed up with another is noticed. */
export interface SegmentHead {
  readonly tenantId: string
  readonly agentId: string
  readonly firstSequence: bigint
  readonly lastSequence: bigint
}

/** An event as it is stored. */
export interface StoredEventText {
  readonly sequence: bigint
  /** Epoch microseconds: as exact as the database. */
  readonly atMicros: bigint
  readonly actor: string
  /** JSON, as it was in the table. */
  readonly event: string
}

const FORMAT = 'skein-segment-1'
/** `s`: a dot must match U+2028 too, which JSON does not escape. */
const LINE = /^\[(\d{1,19}),(\d{1,19}),("(?:[^"\\]|\\.)*"),(.+)\]$/s

/** One line for the head, then one for each event. */
export function writeSegment(
  { tenantId, agentId, firstSequence, lastSequence }: SegmentHead,
  events: readonly StoredEventText[],
): string {
  const head = [FORMAT, tenantId, agentId, firstSequence.toString(), lastSequence.toString()]
  const lines = events.map(
    ({ sequence, atMicros, actor, event }) =>
      `[${sequence},${atMicros},${JSON.stringify(actor)},${onOneLine(event)}]`,
  )
  return [JSON.stringify(head), ...lines, ''].join('\n')
}

/** Undefined if it is not the segment that the head says. */
export function readSegment(text: string, head: SegmentHead): string[] | undefined {
  if (!isUuid(head.tenantId) || !isUuid(head.agentId)) return undefined
  const [first, ...lines] = text.split('\n')
  if (first !== writeSegment(head, []).trimEnd() || lines.pop() !== '') return undefined
  const isWhole =
    sequenceOf(lines[0]) === head.firstSequence && sequenceOf(lines.at(-1)) === head.lastSequence
  return isWhole ? lines : undefined
}

/** The sequence number of a line, without reading the rest of it. */
export function sequenceOf(line: string | undefined): bigint | undefined {
  const digits = line === undefined ? undefined : /^\[(\d{1,19}),/.exec(line)?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}

/** Undefined if it is not a line of a segment. */
export function readSegmentLine(line: string): StoredEventText | undefined {
  const [, sequence, atMicros, actor, event] = LINE.exec(line) ?? []
  if (sequence === undefined || atMicros === undefined || actor === undefined || event === undefined)
    return undefined
  return {
    sequence: BigInt(sequence),
    atMicros: BigInt(atMicros),
    actor: String(JSON.parse(actor)),
    event,
  }
}

/** In JSON, a line break is only ever between tokens: inside a text it is escaped. */
function onOneLine(json: string): string {
  return json.replaceAll(/[\r\n]/g, ' ')
}
