import { readFile } from 'node:fs/promises'
import { workloadKey } from '@skein/client'
import { UsageError } from '../command-line/usage-error.ts'
import { setting, type Environment } from './environment.ts'

const HOW =
  'Set SKEIN_WORKLOAD_TOKEN_FILE to the file with the token. In GitHub Actions, give the job the permission id-token: write.'

/** Keys for a job whose platform vouches for it. */
export function workloadKeyOf(env: Environment, baseUrl: string, identity: string): () => Promise<string> {
  return workloadKey({ baseUrl, identity, readToken: () => readToken(env, baseUrl) })
}

/** From a file, as Kubernetes writes it, or from GitHub Actions. */
async function readToken(env: Environment, baseUrl: string): Promise<string> {
  const path = setting(env, 'SKEIN_WORKLOAD_TOKEN_FILE')
  if (path !== undefined) {
    return readFile(path, 'utf8').catch(() => {
      throw new UsageError(`${path} (from SKEIN_WORKLOAD_TOKEN_FILE) cannot be read.`, HOW)
    })
  }
  const url = setting(env, 'ACTIONS_ID_TOKEN_REQUEST_URL')
  const secret = setting(env, 'ACTIONS_ID_TOKEN_REQUEST_TOKEN')
  if (url === undefined || secret === undefined) {
    throw new UsageError('SKEIN_WORKLOAD_IDENTITY is set, but there is no token to exchange.', HOW)
  }
  return askGitHub(url, secret, setting(env, 'SKEIN_WORKLOAD_AUDIENCE') ?? baseUrl)
}

async function askGitHub(url: string, secret: string, audience: string): Promise<string> {
  const asked = new URL(url)
  asked.searchParams.set('audience', audience)
  const response = await fetch(asked, {
    headers: { authorization: `Bearer ${secret}`, accept: 'application/json' },
    signal: AbortSignal.timeout(30_000),
  })
  const body: unknown = response.ok ? await response.json() : undefined
  const { value } = { value: undefined, ...(typeof body === 'object' && body) }
  if (typeof value === 'string') return value
  throw new UsageError(`GitHub gave no token: HTTP ${response.status}.`, HOW)
}
