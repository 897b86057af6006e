import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCliWorld, type CliWorld } from './cli-world.ts'

let world: CliWorld

beforeAll(async () => {
  world = await startCliWorld()
})
afterAll(() => world.close())

function write(path: string, text: string): Promise<void> {
  return writeFile(join(world.folder, path), text)
}

/** 20 personas in Markdown, 20 workspaces, 9 environments and a secret in YAML, named by folder and by field. */
async function writeFiftyResources(folder: string): Promise<string> {
  await mkdir(join(world.folder, folder, 'persona'), { recursive: true })
  for (let index = 0; index < 20; index++) {
    await write(
      `${folder}/persona/helper-${index}.md`,
      `---\nmodel: claude-sonnet-5\n---\n\nYou help.\n\n# ${index}\n`,
    )
    const workspace = {
      kind: 'workspace',
      name: `place-${index}`,
      persona: `helper-${index}`,
      environment: 'env-0',
    }
    await write(`${folder}/place-${index}.json`, JSON.stringify(workspace))
  }
  const environments = Array.from(
    { length: 9 },
    (_, index) =>
      `kind: environment\nname: env-${index}\nvariables: { NODE_ENV: test }\nsecrets: { KEY: mirror }\n`,
  )
  await write(`${folder}/rest.yaml`, environments.join('---\n'))
  await write(`${folder}/secret.yml`, 'kind: secret\nname: mirror\nvalue: correct horse\n')
  return join(world.folder, folder)
}

describe('apply', () => {
  test('writes 50 resources in the order of their references, and nothing the second time', async () => {
    const folder = await writeFiftyResources('fifty')
    const dry = await world.skein(['apply', '-f', folder, '--dry-run'])
    expect(dry.stdout).toContain('50 to create, 0 to change, 0 unchanged.')
    const first = await world.skein(['apply', '-f', folder])
    expect(first.stderr).toBe('')
    expect(first.stdout).toContain('+ persona/helper-7')
    expect(first.stdout).toContain('50 created, 0 changed, 0 unchanged.')
    expect(first.stdout).not.toContain('correct horse')
    const second = await world.skein(['apply', '-f', folder])
    expect(second.stdout).toBe('0 created, 0 changed, 50 unchanged.\n')
    expect(second.stderr).toContain('secret/mirror: value cannot be compared')
    const { document } = await world.tenant.admin.read('persona', 'helper-7')
    expect(document['prompt']).toBe('You help.\n\n# 7')
    expect((await world.tenant.admin.read('environment', 'env-0')).body['generation']).toBe('1')
  })

  test('shows what changes, line by line', async () => {
    await write('shown.yaml', 'kind: persona\nname: shown\nmodel: claude-sonnet-5\nprompt: Be kind.\n')
    await world.skein(['apply', '-f', join(world.folder, 'shown.yaml')])
    const input = 'kind: persona\nname: shown\nmodel: claude-sonnet-5\nprompt: Be brief.\n'
    const { stdout } = await world.skein(['apply', '-f', '-'], { input })
    expect(stdout).toContain('~ persona/shown\n')
    expect(stdout).toMatch(/^ {2}- Be kind\.\n {2}\+ Be brief\.$/m)
    expect(stdout).toContain('0 created, 1 changed, 0 unchanged.')
  })

  test('a file that was read at an older generation does not overwrite a newer one', async () => {
    await world.tenant.admin.write('persona', 'shared', { prompt: 'One.' })
    const { stdout } = await world.skein(['get', 'persona', 'shared'])
    await write('shared.md', stdout.replace('One.', 'Mine.'))
    await world.tenant.admin.write('persona', 'shared', { prompt: 'Theirs.' })
    const result = await world.skein(['apply', '-f', join(world.folder, 'shared.md')])
    expect(result.stderr).toContain('Conflict: persona/shared: someone else changed it')
    expect(result.stdout).toContain('1 in conflict')
    expect(result.exitCode).toBe(4)
    expect((await world.tenant.admin.read('persona', 'shared')).document['prompt']).toBe('Theirs.')
  })

  test('a resource that changes between reading and writing is reported and not overwritten; the rest is written', async () => {
    await world.tenant.admin.write('persona', 'raced', { prompt: 'Before.' })
    const proxy = await startProxy(async (path) => {
      if (path.endsWith('/raced'))
        await world.tenant.admin.write('persona', 'raced', { prompt: 'Meanwhile.' })
    })
    try {
      const input = ['raced', 'calm']
        .map((name) => `kind: persona\nname: ${name}\nprompt: After.\n`)
        .join('---\n')
      const { resources } = await world.json(['apply', '-f', '-'], { input, env: { SKEIN_URL: proxy.url } })
      const actions = (resources as { name: string; action: string }[]).map(({ name, action }) => [
        name,
        action,
      ])
      expect(actions).toEqual([
        ['raced', 'conflict'],
        ['calm', 'create'],
      ])
    } finally {
      proxy.server.close()
    }
    expect((await world.tenant.admin.read('persona', 'raced')).document['prompt']).toBe('Meanwhile.')
  })

  test('what the service rejects is named with its field, and exits with 2', async () => {
    const input = 'kind: persona\nname: broken\nmodle: x\n'
    const { stderr, stdout, exitCode } = await world.skein(['apply', '-f', '-'], { input })
    expect(stderr).toContain('persona/broken')
    expect(stderr).toContain('modle')
    expect(stdout).toContain('1 refused')
    expect(exitCode).toBe(2)
  })

  test('prints the key of a token and of a share link once, as text and as JSON, and they work', async () => {
    const input = [
      'kind: token\nname: applied\naccount: ci\nrole: viewer',
      'kind: share-link\nname: applied\nworkspace: shop\nagent: [fix]\naccount: ada',
    ].join('\n---\n')
    const { stdout, exitCode } = await world.skein(['apply', '-f', '-'], { input })
    expect(exitCode).toBe(0)
    const [, key = ''] = /^token\/applied key: (skn_\S+)$/m.exec(stdout) ?? []
    expect(stdout).toMatch(/^share-link\/applied key: skl_\S+$/m)
    expect((await world.json(['whoami'], { env: { SKEIN_API_KEY: key } }))['token']).toBe('applied')
    expect((await world.skein(['apply', '-f', '-'], { input })).stdout).not.toContain('key:')
    const rotated = { input: 'kind: token\nname: applied\naccount: ci\nrole: viewer\nkeyVersion: 2' }
    const { resources } = await world.json(['apply', '-f', '-'], rotated)
    const [{ secrets }] = resources as [{ secrets: { key: string } }]
    expect(secrets.key).toMatch(/^skn_/)
    expect(secrets.key).not.toBe(key)
  })

  test('an unknown kind is answered with the nearest one, before anything is written', async () => {
    const { stderr, exitCode } = await world.skein(['apply', '-f', '-'], {
      input: 'kind: persoma\nname: x\n',
    })
    expect(stderr).toContain('Did you mean persona?')
    expect(exitCode).toBe(2)
  })
})

const persona = (name: string) => `kind: persona\nname: ${name}\nprompt: Hi.\n`
const workspace = (name: string, of: string) => `kind: workspace\nname: ${name}\npersona: ${of}\n`

const actionsOf = ({ resources }: Record<string, unknown>) =>
  (resources as { kind: string; name: string; action: string }[])
    .filter(({ action }) => action !== 'unchanged')
    .map(({ kind, name, action }) => `${action} ${kind}/${name}`)
const exists = async (kind: string, name: string) =>
  (await world.tenant.admin.read(kind, name)).status === 200

/** The folder of a set, with these resources and no others. */
async function fill(set: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = join(world.folder, set)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.yaml`), text)
  return ['apply', '-f', folder, '--set', set]
}

describe('apply --prune', () => {
  test('deletes what the set wrote and no longer has, referrers first, and nothing else', async () => {
    await world.tenant.admin.write('persona', 'by-hand', { prompt: 'Mine.' })
    await world.skein(await fill('other', { x: persona('of-another-set') }))
    const first = await fill('garden', {
      a: persona('rose'),
      b: persona('weed'),
      c: workspace('bed', 'weed'),
      d: 'kind: secret\nname: hose\nvalue: water\n',
    })
    expect((await world.skein(first)).stdout).toContain('4 created')
    const rest = await fill('garden', { a: persona('rose') })
    const dry = await world.skein([...rest, '--prune', '--dry-run'])
    expect(dry.stdout).toBe(
      '- workspace/bed (at 1)\n- persona/weed (at 1)\n0 to create, 0 to change, 1 unchanged, 2 to delete.\n',
    )
    expect(await exists('persona', 'weed')).toBe(true)
    expect(actionsOf(await world.json([...rest, '--prune', '--yes']))).toEqual([
      'delete workspace/bed',
      'delete persona/weed',
    ])
    for (const [kind, name] of [
      ['persona', 'rose'],
      ['persona', 'by-hand'],
      ['persona', 'of-another-set'],
      ['secret', 'hose'],
    ] as const)
      expect(await exists(kind, name)).toBe(true)
    const again = await world.skein([...rest, '--prune', '--yes'])
    expect(again.stdout).toBe('0 created, 0 changed, 1 unchanged.\n')
  })

  test('keeps what someone has changed since, and what others still refer to', async () => {
    const files = { a: persona('stays'), b: persona('touched'), c: persona('needed') }
    await world.skein(await fill('careful', files))
    await world.tenant.admin.write('persona', 'touched', { prompt: 'Better.' })
    await world.tenant.admin.write('workspace', 'needs', { persona: 'needed' })
    const { stdout, stderr, exitCode } = await world.skein([
      ...(await fill('careful', { a: persona('stays') })),
      '--prune',
      '--yes',
    ])
    expect(stderr).toContain('persona/touched is kept: someone has changed it since the set wrote it')
    expect(stderr).toContain('Kept: persona/needed:')
    expect(stdout).toContain('2 kept')
    expect(exitCode).toBe(4)
    expect(await exists('persona', 'touched')).toBe(true)
    expect(await exists('persona', 'needed')).toBe(true)
  })

  test('leaves alone what has moved to another set, whichever of the two is applied first', async () => {
    await world.skein(await fill('from', { a: persona('home'), b: persona('mover'), c: persona('second') }))
    const moved = await world.skein(await fill('to', { a: persona('mover') }))
    expect(moved.stdout).toBe('= persona/mover (adopt)\n0 created, 0 changed, 0 unchanged, 1 adopted.\n')
    const rest = await fill('from', { a: persona('home'), c: persona('second') })
    expect((await world.skein([...rest, '--prune', '--yes'])).stdout).toBe(
      '0 created, 0 changed, 2 unchanged.\n',
    )
    expect(await exists('persona', 'mover')).toBe(true)
    const last = await fill('from', { a: persona('home') })
    expect(actionsOf(await world.json([...last, '--prune', '--yes']))).toEqual(['delete persona/second'])
    const both = await fill('to', { a: persona('mover'), b: persona('second') })
    expect((await world.skein(both)).stdout).toContain('1 created, 0 changed, 1 unchanged.')
    await world.skein([...last, '--prune', '--yes'])
    expect(await exists('persona', 'second')).toBe(true)
  })

  test('knows what a first apply without --set wrote once an apply with it has adopted that', async () => {
    const files = {
      a: persona('kept-later'),
      b: persona('gone-later'),
      d: 'kind: secret\nname: well\nvalue: w\n',
    }
    const args = await fill('late', files)
    await world.skein(args.slice(0, 3))
    const dry = await world.skein([...args, '--dry-run'])
    expect(dry.stdout).toContain('0 to create, 0 to change, 1 unchanged, 2 to adopt.')
    expect((await world.json(['get', 'persona', 'gone-later']))['generation']).toBe('1')
    expect(actionsOf(await world.json(args))).toEqual([
      'adopt persona/kept-later',
      'adopt persona/gone-later',
    ])
    expect((await world.skein(args)).stdout).toBe('0 created, 0 changed, 3 unchanged.\n')
    const rest = await fill('late', { a: persona('kept-later') })
    expect(actionsOf(await world.json([...rest, '--prune', '--yes']))).toEqual(['delete persona/gone-later'])
  })

  test('a resource that changes between the check and the delete is reported, not deleted', async () => {
    await world.skein(await fill('raced', { a: persona('calm-one'), b: persona('raced-one') }))
    const proxy = await startProxy(async (path) => {
      if (path.includes('/raced-one'))
        await world.tenant.admin.write('persona', 'raced-one', { prompt: 'New.' })
    })
    try {
      const args = [...(await fill('raced', { a: persona('calm-one') })), '--prune', '--yes']
      const { stderr, exitCode } = await world.skein(args, { env: { SKEIN_URL: proxy.url } })
      expect(stderr).toContain('Conflict: persona/raced-one: someone else changed it')
      expect(exitCode).toBe(4)
    } finally {
      proxy.server.close()
    }
    expect((await world.tenant.admin.read('persona', 'raced-one')).document['prompt']).toBe('New.')
  })

  test('refuses without a set, without --yes when there is no terminal, and on an empty folder', async () => {
    const args = await fill('strict', { a: persona('never-written') })
    const noSet = await world.skein([...args.slice(0, 3), '--prune', '--yes'])
    expect(noSet.stderr).toContain('--set')
    const unasked = await world.skein([...args, '--prune'])
    expect(unasked.stderr).toContain('add --yes')
    const empty = await world.skein([...(await fill('strict', {})), '--prune', '--yes'])
    expect(empty.stderr).toContain('These files contain no resources')
    expect([noSet.exitCode, unasked.exitCode, empty.exitCode]).toEqual([2, 2, 2])
    expect(await exists('persona', 'never-written')).toBe(false)
  })

  test('deletes nothing when something could not be written', async () => {
    await world.skein(await fill('broken', { a: persona('leftover') }))
    const args = await fill('broken', { b: 'kind: persona\nname: wrong\nmodle: x\n' })
    const { stderr, exitCode } = await world.skein([...args, '--prune', '--yes'])
    expect(stderr).toContain('Nothing was deleted')
    expect(exitCode).toBe(2)
    expect(await exists('persona', 'leftover')).toBe(true)
  })
})

describe('get, edit, history, delete', () => {
  test('get shows kinds, lists and one resource as apply reads it', async () => {
    expect((await world.skein(['get'])).stdout).toMatch(/^persona +How an agent behaves/m)
    await world.tenant.admin.write('persona', 'gotten', { prompt: 'Hi.', description: 'Says hi.' })
    expect((await world.skein(['get', 'persona'])).stdout).toMatch(/^gotten +1 +Says hi\.$/m)
    const { stdout } = await world.skein(['get', 'persona', 'gotten'])
    expect(stdout).toMatch(/^---\nkind: persona\nname: gotten\n/)
    expect(stdout).toMatch(/\n---\n\nHi\.\n$/)
    const again = await world.skein(['apply', '-f', '-'], { input: stdout })
    expect(again.stdout).toBe('0 created, 0 changed, 1 unchanged.\n')
    expect((await world.json(['get', 'persona', 'gotten']))['generation']).toBe('1')
    expect((await world.skein(['get', 'persona', 'missing'])).exitCode).toBe(3)
  })

  test('edit writes what the editor leaves, and keeps it when it is refused', async () => {
    await world.tenant.admin.write('persona', 'edited', { prompt: 'Old.' })
    const env = { EDITOR: `sed -i s/Old/New/` }
    const { stdout, exitCode } = await world.skein(['edit', 'persona', 'edited'], { env })
    expect(stdout).toContain('persona/edited is now at generation 2.')
    expect(exitCode).toBe(0)
    expect((await world.skein(['edit', 'persona', 'edited'], { env })).stdout).toBe('Nothing was changed.\n')
    const refused = await world.skein(['edit', 'persona', 'edited'], {
      env: { EDITOR: 'sed -i s/^model:.*/modle:\\ x/', TMPDIR: world.folder },
    })
    expect(refused.exitCode).toBe(2)
    const [, path = ''] = /kept in (.+)$/m.exec(refused.stderr) ?? []
    expect(await readFile(path, 'utf8')).toContain('modle: x')
  })

  test('history names every version, delete needs --yes', async () => {
    await world.tenant.admin.write('persona', 'old', { prompt: 'One.' })
    await world.tenant.admin.write('persona', 'old', { prompt: 'Two.' })
    expect((await world.skein(['delete', 'persona', 'old'])).exitCode).toBe(2)
    expect((await world.skein(['delete', 'persona', 'old', '--yes'])).stdout).toBe('Deleted persona/old.\n')
    const { stdout } = await world.skein(['history', 'persona', 'old'])
    expect(stdout).toMatch(/^3 +deleted +ada /m)
    expect(stdout).toMatch(/^1 +created +ada /m)
  })
})

describe('login, whoami, token, audit', () => {
  test('login checks the key, stores it for its owner only, and whoami uses it', async () => {
    const env = { SKEIN_URL: '', SKEIN_API_KEY: '', HOME: world.folder }
    const before = await world.skein(['whoami'], { env })
    expect(before.stderr).toContain('skein login')
    expect(before.exitCode).toBe(2)
    const login = await world.skein(['login', '--url', world.baseUrl], { env, input: `${world.apiKey}\n` })
    expect(login.stdout).toContain('You are ada (admin)')
    expect(login.stdout + login.stderr).not.toContain(world.apiKey)
    const file = await stat(join(world.folder, '.config/skein/config.json'))
    expect(file.mode & 0o777).toBe(0o600)
    const { stdout } = await world.skein(['whoami'], { env })
    expect(stdout).toMatch(/^account +ada$/m)
    expect((await world.json(['whoami'], { env }))['role']).toBe('admin')
    const unknown = await world.skein(['whoami', '--profile', 'other'], { env })
    expect(unknown.stderr).toContain('Existing profiles: default.')
  })

  test('a mistyped key is refused without asking the server, a wrong one with 5', async () => {
    const mistyped = await world.skein(['login', '--url', world.baseUrl], {
      input: world.apiKey.slice(0, -1),
    })
    expect(mistyped.stderr).toContain('not a complete API key')
    expect(mistyped.exitCode).toBe(2)
    const wrong = await world.skein(['whoami'], { env: { SKEIN_API_KEY: 'skn_wrong' } })
    expect(wrong.stderr).toContain('skein login')
    expect(wrong.exitCode).toBe(5)
  })

  test('no server ends with 7 and says so', async () => {
    const { stderr, exitCode } = await world.skein(['whoami'], { env: { SKEIN_URL: 'http://127.0.0.1:1' } })
    expect(stderr).toContain('The server at http://127.0.0.1:1 did not respond')
    expect(stderr).toContain('the URL is from SKEIN_URL')
    expect(exitCode).toBe(7)
  })

  test('a stored key is not sent to another server, and an invalid SKEIN_URL exits with 2', async () => {
    const stored = { SKEIN_CONFIG: join(world.folder, 'elsewhere.json') }
    await world.skein(['login', '--url', world.baseUrl], { env: stored, input: world.apiKey })
    const heard: (string | undefined)[] = []
    const listener = createServer((request, response) => {
      heard.push(request.headers.authorization)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const env = { ...stored, SKEIN_API_KEY: '', SKEIN_URL: `http://127.0.0.1:${port}` }
    const leaked = await world.skein(['whoami'], { env })
    listener.close()
    expect(heard).toEqual([])
    expect(leaked.stderr).toContain(`No API key is stored for http://127.0.0.1:${port}`)
    expect(leaked.exitCode).toBe(2)
    const wrong = await world.skein(['ps'], { env: { SKEIN_URL: 'foo' } })
    expect(wrong.stderr).toContain('SKEIN_URL is "foo", which is not a URL')
    expect(wrong.exitCode).toBe(2)
  })

  test('a token is created, rotated and revoked; the key alone is on standard output', async () => {
    const created = await world.skein(['token', 'create', 'robot', '--role', 'viewer', '--expires-in', '90d'])
    expect(created.stdout).toMatch(/^skn_\S+\n$/)
    const key = created.stdout.trim()
    const env = { SKEIN_API_KEY: key }
    expect((await world.json(['whoami'], { env }))['token']).toBe('robot')
    expect((await world.skein(['spawn', 'x'], { env })).exitCode).toBe(5)
    expect((await world.skein(['token', 'create', 'robot'])).exitCode).toBe(4)
    const rotated = await world.json(['token', 'rotate', 'robot', '--overlap', '1h'])
    expect(rotated['key']).not.toBe(key)
    expect((await world.skein(['token', 'revoke', 'robot'])).exitCode).toBe(0)
    const { document } = await world.tenant.admin.read('token', 'robot')
    expect(document['revoked']).toBe(true)
  })

  test('the audit is one line for each change', async () => {
    const { stdout } = await world.skein(['audit', '--kind', 'token', '--limit', '1'])
    expect(stdout).toMatch(
      /^20\S+ {2}ada \(admin\) {2}writeResource {2}token\/robot@3 {2}from 127\.0\.0\.1\n$/,
    )
    const lines = (await world.skein(['audit', '--json', '--limit', '3'])).stdout.trim().split('\n')
    expect(lines.map((line) => typeof (JSON.parse(line) as { id: unknown }).id)).toEqual([
      'string',
      'string',
      'string',
    ])
  })
})

describe('doctor', () => {
  test('finds nothing wrong where everything works', async () => {
    const { stdout, exitCode } = await world.skein(['doctor'])
    expect(stdout).toContain('✔ key: you are ada (admin)')
    expect(stdout).toContain('✔ runners: runner')
    expect(exitCode).toBe(0)
  })

  test('names the problem and the fix: nobody signed in, no server, a wrong key', async () => {
    const nobody = await world.skein(['doctor'], {
      env: { SKEIN_URL: '', SKEIN_API_KEY: '', HOME: '/nowhere' },
    })
    expect(nobody.stdout).toMatch(/✘ profile: No server is set\.\n {2}Fix: .*skein login/)
    expect(nobody.exitCode).toBe(13)
    const gone = await world.skein(['doctor'], { env: { SKEIN_URL: 'http://127.0.0.1:1' } })
    expect(gone.stdout).toMatch(
      /✘ server: no response from http:\/\/127\.0\.0\.1:1\n {2}Fix: Start the server/,
    )
    const wrong = await world.skein(['doctor'], { env: { SKEIN_API_KEY: 'skn_wrong' } })
    expect(wrong.stdout).toMatch(/✘ key: the server rejects it\n {2}Fix: .*skein login/)
  })
})

describe('help and completion', () => {
  test('a mistyped command is answered with the nearest one and 2', async () => {
    const { stderr, exitCode } = await world.skein(['spwan'])
    expect(stderr).toContain('Did you mean spawn?')
    expect(exitCode).toBe(2)
  })

  test('without a command it prints help and exits with 0', async () => {
    const { stdout, exitCode } = await world.skein([])
    expect(stdout).toContain('Usage: skein')
    expect(exitCode).toBe(0)
    expect((await world.skein(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test('help is on standard output with an example, and ends with 0', async () => {
    const { stdout, exitCode } = await world.skein(['spawn', '--help'])
    expect(stdout).toContain('$ skein spawn')
    expect(exitCode).toBe(0)
  })

  test('the completion of bash offers what can stand behind a command', async () => {
    const { stdout } = await world.skein(['completion', 'bash'])
    const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
    const skein = `skein() { ${process.execPath} ${main} "$@"; }`
    const ask = 'COMP_WORDS=(skein queue c); COMP_CWORD=2; _skein; echo "${COMPREPLY[*]}"'
    const { stdout: offered } = await promisify(execFile)('bash', ['-c', `${skein}\n${stdout}\n${ask}`])
    expect(offered).toBe('clear\n')
  })
})

interface Proxy {
  readonly server: Server
  readonly url: string
}

/** Passes everything on, and lets something happen before each write. */
async function startProxy(beforeWrite: (path: string) => Promise<void>): Promise<Proxy> {
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? ''
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { method = 'GET' } = request
      if (method !== 'GET') await beforeWrite(path)
      const answer = await fetch(`${world.baseUrl}${path}`, {
        method,
        headers: {
          authorization: request.headers.authorization ?? '',
          ...(method === 'POST' && { 'content-type': 'application/json' }),
        },
        ...(method === 'POST' && { body: Buffer.concat(chunks) }),
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}` }
}
