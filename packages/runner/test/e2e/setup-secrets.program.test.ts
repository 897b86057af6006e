import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { AgentId } from '@skein/contract'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld } from './runner-world.ts'

const run = promisify(execFile)
// Its parts are long enough that no random id contains one by chance.
const SECRET = 'TOPSECRET/wq7vyx2h+k9jmztpu=b6 "quoted"'
const KEY = [
  '-----BEGIN KEY-----',
  'MIIBVwIBADANBgkqhkiG9w0B',
  'AQEFAASCAUEwggE9AgEAAkEA',
  '-----END KEY-----',
].join('\n')
const [{ model }] = BACKENDS

let world: RunnerWorld

beforeAll(async () => {
  world = await RunnerWorld.start({ SKEIN_LEASE_MS: '3000' })
  await world.useSandbox('bubblewrap')
  const seed = join(world.folder, 'seed')
  await writeFile(
    join(seed, 'prepare.sh'),
    '#!/bin/sh\nmkdir -p deps\necho "base was here" | tee deps/tool\n',
  )
  await chmod(join(seed, 'prepare.sh'), 0o755)
  await writeFile(join(seed, '.gitignore'), 'deps/\n')
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  await run('git', ['-C', seed, 'add', '-A'])
  await run('git', ['-C', seed, ...identity, 'commit', '-q', '-m', 'Prepare'])
  await run('git', ['-C', seed, 'push', '-q', 'origin', 'HEAD:main'])
  await world.write('secret', 'npm', { value: SECRET })
  await world.write('secret', 'key', { value: KEY })
  await world.write('environment', 'default', {
    // A login shell reads what is in HOME; npm would read ~/.npmrc.
    setupScript: 'bash -l -c ./prepare.sh; echo "cached" > "$HOME/.cache-of-setup"; echo "token: $NPM_TOKEN"',
    secrets: { NPM_TOKEN: 'npm', SIGNING_KEY: 'key' },
    network: 'gateway',
  })
  await world.write('environment', 'careless', {
    setupScript: 'printf %s "$NPM_TOKEN" > "$HOME/token"; printf %s "$SIGNING_KEY" > "$HOME/key"',
    secrets: { NPM_TOKEN: 'npm', SIGNING_KEY: 'key' },
    network: 'gateway',
  })
  const repos = [{ url: world.upstream, baseBranch: 'main' }]
  await world.write('workspace', 'shop', { repos, environment: 'default' })
  await world.write('workspace', 'careless', { repos, environment: 'careless' })
})

afterEach(() => world.stopRunners())
afterAll(() => world.close())

const PLANT = [
  `printf '%s\\n' 'env > "$HOME/stolen"; env > "$PWD/stolen"' > "$HOME/.bash_profile"`,
  'cp "$HOME/.bash_profile" "$HOME/.profile"',
  `printf '%s\\n' '#!/bin/sh' 'env > "$HOME/stolen"; env > deps/stolen; cat "$HOME/stolen"' > prepare.sh`,
  'git add -A && git commit -qm plant && git push -q origin HEAD',
].join('; ')

const LOOK =
  'cat "$HOME"/stolen stolen deps/stolen 2>&1 | base64 -w0; cat deps/tool "$HOME/.cache-of-setup"; cat prepare.sh'

async function outputsOf(agentId: AgentId): Promise<string[]> {
  return (await world.events(agentId, 'run.tool-called')).map(({ output }) => output)
}

async function takeTurn(agentId: AgentId, count: number, ...commands: string[]): Promise<void> {
  await world.send(agentId, [...commands.map((shell) => ({ shell })), { say: 'Done.' }])
  await world.waitUntil('the turn', async () => (await world.events(agentId, 'run.ended')).length === count)
}

/** What the agent found of the secrets, as printed and as encoded. */
function findStolen(output: string): string[] {
  const [, encoded = ''] = /([A-Za-z0-9+/=]{20,})/.exec(output) ?? []
  return [output, Buffer.from(encoded, 'base64').toString()].flatMap(
    (text) => text.match(/NPM_TOKEN|TOPSECRET/g) ?? [],
  )
}

test('an agent that plants commands and destroys its folder gets no secret from the next set-up', async () => {
  await world.startRunner()
  const agentId = await world.spawn(
    'planter',
    [{ shell: PLANT }, { shell: 'rm -rf .git' }, { say: 'Done.' }],
    { model },
  )
  await world.settled(agentId)
  await takeTurn(agentId, 2, LOOK)
  const outputs = await outputsOf(agentId)
  expect(outputs.filter((output) => output.includes('token: '))).toEqual([
    'base was here\ntoken: [secret]\n',
    'base was here\ntoken: [secret]\n',
  ])
  expect(findStolen(outputs.at(-1) ?? '')).toEqual([])
  // What set-up made is there, and so is what the agent has pushed.
  expect(outputs.at(-1)).toContain('base was here\ncached')
  expect(outputs.at(-1)).toContain('env > "$HOME/stolen"')
})

test('an agent that plants commands gets no secret from the set-up of the next host', async () => {
  const first = await world.startRunner()
  const agentId = await world.spawn('mover', [{ shell: PLANT }, { say: 'Done.' }], { model })
  await world.settled(agentId)
  await first.stop()
  await world.startRunner()
  await takeTurn(agentId, 2, LOOK)
  const output = (await outputsOf(agentId)).at(-1) ?? ''
  expect(findStolen(output)).toEqual([])
  expect(output).toContain('base was here\ncached')
})

test('a secret that the set-up script leaves behind is in nothing that is reported or saved, on any host', async () => {
  const commands = [
    'cat "$HOME/token"; echo; cat "$HOME/key"',
    'base64 -w0 < "$HOME/token"; echo; (printf "user:"; cat "$HOME/token") | base64 -w0',
    `node -p 'encodeURIComponent(fs.readFileSync(process.env.HOME + "/token", "utf8"))'`,
    `node -p 'JSON.stringify(JSON.stringify({ a: fs.readFileSync(process.env.HOME + "/token", "utf8") }))'`,
  ]
  const first = await world.startRunner()
  const agentId = await world.spawn('careless', [...commands.map((shell) => ({ shell })), { say: 'Done.' }], {
    model,
    agentId: { agent: ['careless'], workspace: 'careless' },
  })
  await world.settled(agentId)
  await first.stop()
  const second = await world.startRunner()
  await takeTurn(agentId, 2, ...commands)
  const timeline = JSON.stringify(await world.timeline(agentId))
  const logs = first.output() + second.output() + world.server.logLines.join('\n')
  // Once the older ones are removed.
  await second.stop()
  const blobs = await readBlobs()
  expect(blobs.join('')).toContain('[secret]')
  expect(timeline.match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(8)
  const forms = [
    'TOPSECRET',
    'wq7vyx2h',
    'k9jmztpu',
    'quoted',
    'MIIBVwIBADANBgkqhkiG9w0B',
    'AQEFAASCAUEwggE9AgEAAkEA',
    Buffer.from(SECRET).toString('base64').slice(4, -4),
    Buffer.from(`user:${SECRET}`).toString('base64').slice(8, -4),
  ]
  for (const text of [timeline, logs, ...blobs]) for (const form of forms) expect(text).not.toContain(form)
})

async function readBlobs(): Promise<string[]> {
  const dir = join(world.folder, 'blobs')
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((file) => file.isFile())
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const stored = await readFile(join(parentPath, name))
      // A mark is empty.
      return stored.length === 0 ? '' : gunzipSync(stored).toString()
    }),
  )
}
