import { execFile } from 'node:child_process'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
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
    expect(result.stderr).toContain('Conflict: persona/shared: somebody else changed it')
    expect(result.stdout).toContain('1 in conflict')
    expect(result.exitCode).toBe(4)
    expect((await world.tenant.admin.read('persona', 'shared')).document['prompt']).toBe('Theirs.')
  })

  test('a change that is made between reading and writing is reported and left alone; the rest is written', async () => {
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

  test('what the service refuses is named with its field, and ends with 2', async () => {
    const input = 'kind: persona\nname: broken\nmodle: x\n'
    const { stderr, stdout, exitCode } = await world.skein(['apply', '-f', '-'], { input })
    expect(stderr).toContain('persona/broken')
    expect(stderr).toContain('modle')
    expect(stdout).toContain('1 refused')
    expect(exitCode).toBe(2)
  })

  test('an unknown kind is answered with the nearest one, before anything is written', async () => {
    const { stderr, exitCode } = await world.skein(['apply', '-f', '-'], {
      input: 'kind: persoma\nname: x\n',
    })
    expect(stderr).toContain('Did you mean persona?')
    expect(exitCode).toBe(2)
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
    expect(stdout).toContain('persona/edited is now at 2.')
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
    expect(unknown.stderr).toContain('There are: default.')
  })

  test('a mistyped key is refused without asking the server, a wrong one with 5', async () => {
    const mistyped = await world.skein(['login', '--url', world.baseUrl], {
      input: world.apiKey.slice(0, -1),
    })
    expect(mistyped.stderr).toContain('not a whole API key')
    expect(mistyped.exitCode).toBe(2)
    const wrong = await world.skein(['whoami'], { env: { SKEIN_API_KEY: 'skn_wrong' } })
    expect(wrong.stderr).toContain('skein login')
    expect(wrong.exitCode).toBe(5)
  })

  test('no server ends with 7 and says so', async () => {
    const { stderr, exitCode } = await world.skein(['whoami'], { env: { SKEIN_URL: 'http://127.0.0.1:1' } })
    expect(stderr).toContain('The server did not answer')
    expect(exitCode).toBe(7)
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
    expect(stdout).toMatch(/^20\S+ {2}ada \(admin\) {2}writeResource {2}token\/robot@3\n$/)
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
    expect(stdout).toContain('✔ server: knows you as ada (admin)')
    expect(stdout).toContain('✔ runners: no run waits for one')
    expect(exitCode).toBe(0)
  })

  test('names the fault and the mend: nobody signed in, no server, a wrong key', async () => {
    const nobody = await world.skein(['doctor'], {
      env: { SKEIN_URL: '', SKEIN_API_KEY: '', HOME: '/nowhere' },
    })
    expect(nobody.stdout).toMatch(/✘ profile: No server is set\.\n {2}Mend: .*skein login/)
    expect(nobody.exitCode).toBe(13)
    const gone = await world.skein(['doctor'], { env: { SKEIN_URL: 'http://127.0.0.1:1' } })
    expect(gone.stdout).toMatch(
      /✘ server: nobody answers at http:\/\/127\.0\.0\.1:1\n {2}Mend: Start the server/,
    )
    const wrong = await world.skein(['doctor'], { env: { SKEIN_API_KEY: 'skn_wrong' } })
    expect(wrong.stdout).toMatch(/✘ key: the server does not take it\n {2}Mend: .*skein login/)
  })
})

describe('help and completion', () => {
  test('a mistyped command is answered with the nearest one and 2', async () => {
    const { stderr, exitCode } = await world.skein(['spwan'])
    expect(stderr).toContain('Did you mean spawn?')
    expect(exitCode).toBe(2)
  })

  test('help is on standard output with an example, and ends with 0', async () => {
    const { stdout, exitCode } = await world.skein(['spawn', '--help'])
    expect(stdout).toContain('$ skein spawn')
    expect(exitCode).toBe(0)
  })

  test('the completion of bash offers what can stand behind a command', async () => {
    const { stdout } = await world.skein(['completion', 'bash'])
    const ask = 'COMP_WORDS=(skein queue c); COMP_CWORD=2; _skein; echo "${COMPREPLY[*]}"'
    const { stdout: offered } = await promisify(execFile)('bash', ['-c', `${stdout}\n${ask}`])
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
      if (method === 'POST') await beforeWrite(path)
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
