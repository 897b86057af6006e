import { DEV_FOLDER } from '../profile/folder-profile.ts'
import type { Io } from '../io.ts'

export type DevSandbox = 'process' | 'bubblewrap'

export interface DevOptions {
  /** Where the service listens on the loopback interface; 0 takes a free one. */
  readonly port: number
  readonly dataDir: string
  /** Forget everything first. */
  readonly fresh: boolean
  readonly runner: boolean
  /** Bubblewrap where it works, unless one is named. */
  readonly sandbox?: DevSandbox
  /** Use the provider keys of the environment without asking. */
  readonly real: boolean
  /** Use the simulator whatever the environment has. */
  readonly simulate: boolean
  /** One line of JSON on standard output when everything is ready, for programs. */
  readonly json: boolean
}

export const DEV_DEFAULTS = { port: 8080, dataDir: DEV_FOLDER } as const

export type DevIo = Pick<Io, 'env' | 'print' | 'note' | 'canAsk' | 'ask'>

/** Something that the person at the terminal can fix. It has been said in full: no stack is shown. */
export class DevError extends Error {
  override readonly name = 'DevError'
}
