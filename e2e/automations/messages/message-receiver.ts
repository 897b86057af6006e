import type { Request } from '../lost-answers.ts'

/** A message as it arrived. */
export interface Arrival extends Request {
  /** All of it that is the same in every attempt, so that messages can be told apart: each names other agents. */
  readonly message: string
}

/** Where messages for people arrive. It remembers all of them, and refuses some. */
export interface MessageReceiver {
  /** The name of the integration that sends to it. */
  readonly integration: string
  /** What the integration has to say to reach it. */
  readonly document: object
  readonly arrivals: readonly Arrival[]
  close(): Promise<void>
}
