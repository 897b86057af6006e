import type { DevSandbox } from '@skein/dev'
import { DEV_FOLDER } from '../profile/folder-profile.ts'
import type { Io } from '../io.ts'

export interface DevOptions {
  /** Port on the loopback interface; 0 picks a free one. */
  readonly port: number
  readonly dataDir: string
  /** Delete everything first. */
  readonly fresh: boolean
  readonly runner: boolean
  /** Default: bubblewrap if it works. */
  readonly sandbox?: DevSandbox
  /** Use the environment's provider keys without asking. */
  readonly real: boolean
  /** Use the simulator, whatever the environment contains. */
  readonly simulate: boolean
  /** One line of JSON on standard output when everything is ready, for programs. */
  readonly json: boolean
}

export const DEV_DEFAULTS = { port: 8080, dataDir: DEV_FOLDER } as const

export type DevIo = Pick<Io, 'env' | 'print' | 'note' | 'canAsk' | 'ask'>
