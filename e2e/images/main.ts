/**
 * `npm run test:images`: runs the images that `npm run images` has built, with podman: migrates, serves, and lets a
 * real agent work in its sandbox inside the runner's container, with the simulator as its model. The last line is
 * JSON with what it measured.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Skein } from '@skein/client'
import { findFreePort } from '@skein/host'
import { startSimulator } from '@skein/simulator'
import { createServerLogin, startPostgresServer, waitFor } from '@skein/testkit'
import { runContainer, startContainer, type Container } from './container.ts'

const { values } = parseArgs({
  options: {
    tag: { type: 'string', default: '0.0.0' },
    programs: { type: 'string', default: '@anthropic-ai/claude-agent-sdk@0.3.325' },
    /** Where the runner's container finds root certificates, if a proxy here replaces those of the registry. */
    ca: { type: 'string', default: '' },
  },
})

const profile = fileURLToPath(new URL('../../deploy/images/runner-seccomp.json', import.meta.url))
const id = randomBytes(4).toString('hex')
const started: Container[] = []
const folder = mkdtempSync(join(tmpdir(), 'skein-images-'))
const postgres = await startPostgresServer()
const simulator = await startSimulator()
try {
  const server = await tryServer()
  const runner = await tryRunner(server.url, server.key)
  const serverStopMs = await server.container.stop()
  console.log(JSON.stringify({ server: { ...server.figures, stopMs: serverStopMs }, runner }))
} catch (error) {
  for (const container of started) console.error(`${container.name}:\n${await container.readLogs()}`)
  throw error
} finally {
  for (const container of started) await container.remove()
  await simulator.close()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function tryServer() {
  const image = `localhost/skein-server:${values.tag}`
  const ownerUrl = postgres.url()
  const masterKey = randomBytes(32).toString('base64')
  const owner = { SKEIN_OWNER_DATABASE_URL: ownerUrl, SKEIN_MASTER_KEY: masterKey }
  await runContainer({ name: `skein-migrate-${id}`, image, env: owner, command: ['migrate'] })
  const answer = await runContainer({
    name: `skein-bootstrap-${id}`,
    image,
    env: owner,
    command: ['bootstrap', '--org', 'acme', '--account', 'ada', '--json'],
  })
  const { key } = JSON.parse(answer) as { key: string }
  const login = { name: 'skein_app', password: randomBytes(16).toString('hex') }
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const container = await startContainer({
    name: `skein-server-${id}`,
    image,
    env: {
      SKEIN_DATABASE_URL: await createServerLogin(ownerUrl, login),
      SKEIN_MASTER_KEY: masterKey,
      SKEIN_HOST: '127.0.0.1',
      SKEIN_PORT: String(port),
      // A container has no cgroup of its own to limit agents with: its own limits apply instead.
      SKEIN_CEILING: JSON.stringify({ machine: { cpus: 0, memoryMib: 0 } }),
    },
  })
  started.push(container)
  await waitFor(() => isReady(url), { what: 'the server to be ready', timeoutMs: 60_000 })
  const readyMs = Math.round(performance.now() - startedAt)
  return { url, key, container, figures: { readyMs, memoryMib: await container.readMemoryMib() } }
}

async function tryRunner(url: string, adminKey: string) {
  const skein = new Skein({ baseUrl: url, apiKey: adminKey })
  const machine = await skein.catalog.get('vm-profile', 'default')
  await skein.catalog.put('vm-profile', 'default', { ...machine.document, cpus: 0, memoryMib: 0 })
  const token = { account: 'runners', role: 'runner', pools: ['default'] }
  const { document } = await skein.catalog.put('token', 'runners', token)
  const repository = makeRepository()
  const repos = [{ url: '/srv/sample.git', baseBranch: 'main' }]
  await skein.catalog.put('workspace', 'sample', { description: 'A sample.', repos })
  const startedAt = performance.now()
  const container = await startContainer({
    name: `skein-runner-${id}`,
    image: `localhost/skein-runner:${values.tag}`,
    env: {
      SKEIN_URL: url,
      SKEIN_API_KEY: String(document['key']),
      SKEIN_RUNNER_PROGRAMS: values.programs,
      SKEIN_RUNNER_LOCAL_REPOS: 'true',
      ANTHROPIC_API_KEY: 'any',
      ANTHROPIC_BASE_URL: simulator.url,
      ...(values.ca !== '' && { NODE_EXTRA_CA_CERTS: '/run/ca.crt' }),
    },
    options: [
      // See "What the sandbox needs" in docs/deploy/images.md.
      ['--security-opt', 'unmask=ALL', '--security-opt', `seccomp=${profile}`, '--tmpfs', '/tmp'],
      ['--device', '/dev/net/tun'],
      // /var/lib/skein is a volume without a name, which is removed with the container.
      ['--volume', `${repository}:/srv/sample.git`],
      values.ca === '' ? [] : ['--volume', `${values.ca}:/run/ca.crt:ro`],
    ].flat(),
  })
  started.push(container)
  await waitFor(async () => (await skein.runners()).length > 0, {
    what: 'the runner to report',
    timeoutMs: 300_000,
  })
  const onlineMs = Math.round(performance.now() - startedAt)
  const memoryMib = await container.readMemoryMib()
  const agent = await skein.spawn({
    workspace: 'sample',
    name: 'first',
    description: 'Write down what this is about',
  })
  const { outcome, error } = await agent.result({ timeoutMs: 300_000 })
  if (outcome !== 'completed' || !listBranches(repository).includes('skein/first'))
    throw new Error(`The agent ended with ${outcome} ${error?.message ?? ''}`)
  const offers = (await skein.runners()).map(({ sandboxes }) => sandboxes)
  return { onlineMs, memoryMib, agent: outcome, stopMs: await container.stop(), offers: offers.flat() }
}

function listBranches(repository: string): string {
  // It belongs to the container's user.
  const args = ['-c', 'safe.directory=*', '-C', repository, 'branch', '--list']
  return execFileSync('git', args, { encoding: 'utf8' })
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined)
  return response?.status === 200
}

/** Owned by the user of the container. */
function makeRepository(): string {
  const repository = join(folder, 'sample.git')
  const seed = join(folder, 'seed')
  git('init', '--quiet', '--initial-branch', 'main', seed)
  git('-C', seed, 'commit', '--quiet', '--allow-empty', '--message', 'Start')
  git('clone', '--quiet', '--bare', seed, repository)
  execFileSync('chown', ['-R', '10001:10001', repository])
  execFileSync('chmod', ['755', folder])
  return repository
}

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', ...args], {
    stdio: 'ignore',
  })
}
