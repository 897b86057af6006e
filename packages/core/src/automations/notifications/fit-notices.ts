import { byUrgency, countTopics, type Message, type Notice } from './notice.ts'

/** What a chat accepts in one message. */
export interface Room {
  readonly notices: number
  readonly size: number
}

interface Fitted<Part> {
  readonly parts: readonly Part[]
  /** What had no room, in words; empty if everything had. */
  readonly rest: string
}

/** Keeps the most urgent notices that fit, and counts the others. */
export function fitNotices<Part>(
  { notices }: Message,
  room: Room,
  render: (notice: Notice) => Part,
  sizeOf: (part: Part) => number,
): Fitted<Part> {
  const sorted = byUrgency(notices)
  const parts: Part[] = []
  let size = 0
  for (const notice of sorted.slice(0, room.notices)) {
    const part = render(notice)
    size += sizeOf(part)
    if (size > room.size) break
    parts.push(part)
  }
  const left = sorted.slice(parts.length)
  return { parts, rest: left.length === 0 ? '' : `And ${countTopics(left)}` }
}
