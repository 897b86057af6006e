import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { DevError } from './dev-error.ts'

/** What must be the same at the next start. An empty key has not been created yet. */
export interface DevState {
  readonly masterKey: string
  /** Password of the server's database login. */
  readonly password: string
  readonly apiKey: string
  readonly runnerKey: string
}

export async function readDevState(path: string): Promise<DevState> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch {
    const [masterKey, password] = [randomBytes(32).toString('base64'), randomBytes(16).toString('hex')]
    return { masterKey, password, apiKey: '', runnerKey: '' }
  }
  try {
    return parseDevState(JSON.parse(text))
  } catch {
    throw new DevError(`${path} cannot be read. Start over with --fresh; this deletes all agents.`)
  }
}

/** Atomic. */
export async function writeDevState(path: string, state: DevState): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

function parseDevState(value: unknown): DevState {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object')
  const fields: Readonly<Record<string, unknown>> = { ...value }
  const read = (name: keyof DevState): string => {
    const field = fields[name]
    return typeof field === 'string' ? field : ''
  }
  const state = { masterKey: read('masterKey'), password: read('password') }
  if (state.masterKey === '' || state.password === '') throw new TypeError('incomplete')
  return { ...state, apiKey: read('apiKey'), runnerKey: read('runnerKey') }
}
