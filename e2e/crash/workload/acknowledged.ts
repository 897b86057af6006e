/** What a client knows has happened, because it was acknowledged. Times are by its own clock. */
export type Acknowledged = { readonly path: string; readonly sentAt: number; readonly answeredAt: number } & (
  | { readonly command: 'spawn'; readonly followUpId: string; readonly digest: string }
  | {
      readonly command: 'queue'
      readonly followUpId: string
      readonly digest: string
      readonly deliverAt: number | undefined
      readonly isKeyed: boolean
    }
  | { readonly command: 'remove'; readonly followUpId: string; readonly removed: boolean }
  | { readonly command: 'clear'; readonly cleared: number }
  | { readonly command: 'stop'; readonly runId: string }
  | { readonly command: 'kill' }
  | { readonly command: 'tasks'; readonly taskId: string }
)

export type Command = Acknowledged['command']
export type AcknowledgedAs<Name extends Command> = Extract<Acknowledged, { command: Name }>

/** A command's effect, without the fields common to all commands. */
export type Effect = Acknowledged extends infer Each
  ? Each extends Acknowledged
    ? Omit<Each, 'path' | 'sentAt' | 'answeredAt'>
    : never
  : never

export function acknowledgedAs<Name extends Command>(
  log: readonly Acknowledged[],
  command: Name,
): AcknowledgedAs<Name>[] {
  return log.filter((entry): entry is AcknowledgedAs<Name> => entry.command === command)
}
