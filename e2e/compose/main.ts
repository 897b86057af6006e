/**
 * `npm run test:compose`: starts the containers of deploy/compose by the commands of docs/deploy/compose.md, with the
 * images that `npm run images` has built, signs in, and lets a real agent work in its sandbox, with the simulator as its
 * model. The last line is JSON with what it measured. Needs root, podman and podman-compose.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Skein } from '@skein/client'
import { startSimulator } from '@skein/simulator'
import { startGitHost } from '../drills/kubernetes/git-host.ts'
import { ComposeInstallation } from './installation.ts'

const AGENT_MS = 300_000

const { values } = parseArgs({
  options: {
    /** Root certificates for the runner, if a proxy here replaces those of the registry. */
    ca: { type: 'string', default: '' },
    /** The image of PostgreSQL, if a registry can be reached. Otherwise one is built that stands in for it. */
    postgres: { type: 'string', default: '' },
  },
})

const root = fileURLToPath(new URL('../../', import.meta.url))
// Not below /tmp: containers of other users read files in it.
const folder = mkdtempSync(join('/var/tmp', 'skein-compose-'))
const installation = await ComposeInstallation.prepare(root, folder, values.postgres)
const seconds: Record<string, number> = {}
try {
  await measure('start', () => installation.up())
  await measure('ready', () => installation.untilReady())
  const key = await installation.readKey()
  await measure('sign in', () => installation.signIn(key))
  const runner = await tryAgent(key)
  await measure('doctor', () => installation.skein('doctor'))
  await measure('start again', () => installation.up())
  if ((await installation.readKey()) !== key) throw new Error('Starting again has changed the key')
  console.log(JSON.stringify({ seconds, ...runner, images: await installation.measureImages() }))
} catch (error) {
  console.error(await installation.readLogs())
  throw error
} finally {
  await installation.remove()
  rmSync(folder, { recursive: true, force: true })
}

/** The page's second start, now with a model's key. Model and git host are this machine's, where its network sees it. */
async function tryAgent(key: string): Promise<object> {
  const address = await installation.hostAddress()
  const model = await startSimulator({ host: address })
  const git = await startGitHost(folder, address)
  try {
    const skein = new Skein({ baseUrl: installation.url, apiKey: key })
    await installation.writeModelKey()
    await measure('start with a model', () =>
      installation.up({
        SKEIN_RUNNER_PROGRAMS: installation.page.programs,
        SKEIN_RUNNER_REPO_RANGES: `${address}/32`,
        ANTHROPIC_BASE_URL: model.url,
        ...(values.ca !== '' && { SKEIN_CA_CERTS: values.ca }),
      }),
    )
    await measure('ready again', () => installation.untilReady())
    const sandboxes = await measure('runner', () => installation.untilRunner(skein))
    await skein.catalog.put('workspace', 'sample', {
      description: 'A sample.',
      repos: [{ url: git.url, baseBranch: 'main' }],
    })
    const outcome = await measure('agent', async () => {
      const agent = await skein.spawn({ workspace: 'sample', name: 'first', description: 'Say what this is' })
      const result = await agent.result({ timeoutMs: AGENT_MS })
      if (result.outcome === 'completed' && git.listBranches().includes('skein/first')) return result.outcome
      throw new Error(`The agent ended with ${result.outcome} ${result.error?.message ?? ''}`)
    })
    return { agent: outcome, sandboxes }
  } finally {
    git.close()
    await model.close()
  }
}

async function measure<Result>(step: string, act: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  const result = await act()
  seconds[step] = Math.round(performance.now() - startedAt) / 1000
  console.log(`${step}: ${seconds[step]} s`)
  return result
}
