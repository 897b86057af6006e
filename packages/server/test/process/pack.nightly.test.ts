import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readFunctionSet, requiredSchemaVersion } from '@skein/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const PUBLISHED = [
  'contract',
  'core',
  'store',
  'engine',
  'server',
  'client',
  'runner',
  'simulator',
  'host',
  'local-postgres',
  'schema-check',
  'resource-files',
  'dev',
  'cli',
]
const run = promisify(execFile)

interface Manifest {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: unknown
}

let home: string

/** Someone's project, with our tarballs installed as npm would, and of the rest only what they ask for. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'skein-packages-'))
  const tarballs = join(home, 'tarballs')
  await run(process.execPath, [join(repository, 'scripts/pack.ts'), '--out', tarballs], { cwd: repository })
  for (const tarball of await readdir(tarballs)) {
    const name = /^skein-(.+)-\d+\.\d+\.\d+\.tgz$/.exec(tarball)?.[1] ?? tarball
    await mkdir(packageFolder(name), { recursive: true })
    await run('tar', ['-xzf', join(tarballs, tarball), '--strip-components=1', '-C', packageFolder(name)])
  }
  for (const name of PUBLISHED) await linkDependencies(name)
  await writeFile(join(home, 'package.json'), '{"type":"module"}')
}, 300_000)

afterAll(() => rm(home, { recursive: true, force: true }))

const packageFolder = (name: string): string => join(home, 'node_modules/@skein', name)

async function readManifest(name: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(packageFolder(name), 'package.json'), 'utf8')) as Manifest
}

async function linkDependencies(name: string): Promise<void> {
  const { dependencies = {} } = await readManifest(name)
  for (const dependency of Object.keys(dependencies).filter((other) => !other.startsWith('@skein/'))) {
    const link = join(home, 'node_modules', dependency)
    await mkdir(dirname(link), { recursive: true })
    // npm puts a version beside the package when another package has a different one.
    const own = join(repository, 'packages', name, 'node_modules', dependency)
    const shared = join(repository, 'node_modules', dependency)
    if (!existsSync(link)) await symlink(existsSync(own) ? own : shared, link)
  }
}

/** Plain JavaScript or nothing: the sources are not there, and Node may not strip types either. */
async function evaluate(script: string): Promise<unknown> {
  const args = ['--no-strip-types', '--input-type=module', '--eval', script]
  const { stdout } = await run(process.execPath, args, { cwd: home })
  return JSON.parse(stdout)
}

describe('the published packages', () => {
  test('are all that are not private, and no other', async () => {
    expect((await readdir(join(home, 'node_modules/@skein'))).sort()).toEqual(
      [...PUBLISHED, 'dashboard'].sort(),
    )
  })

  test.each(PUBLISHED)('%s holds its build and nothing of its sources or tests', async (name) => {
    const all = await readdir(packageFolder(name), { recursive: true, encoding: 'utf8' })
    expect(all).toEqual(expect.arrayContaining(['LICENSE', 'README.md']))
    // The library that the agents of `skein demo` work on has sources and tests of its own.
    const files = all.filter((file) => !file.startsWith('demo/'))
    expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([])
    expect(files.filter((file) => /(^|\/)(src|test)(\/|$)|\.map$|tsbuildinfo/.test(file))).toEqual([])
  })

  test.each(PUBLISHED)('%s points only at files that it holds', async (name) => {
    const { exports, bin = {}, devDependencies } = await readManifest(name)
    expect(devDependencies).toBeUndefined()
    const targets = [
      ...Object.values(exports).flatMap((entry) => Object.values(entry)),
      ...Object.values(bin),
    ]
    expect(targets.length).toBeGreaterThan(0)
    for (const target of targets) expect(target).toMatch(/^\.\/(dist|bin)\//)
    expect(targets.filter((target) => !existsSync(join(packageFolder(name), target)))).toEqual([])
  })

  test('are imported by plain Node, with what they declare and nothing else', async () => {
    const names = PUBLISHED.map((name) => `'@skein/${name}'`).join()
    const script = `
      const packages = await Promise.all([${names}].map((name) => import(name)))
      console.log(JSON.stringify(packages.map((exported) => Object.keys(exported).length > 0)))`
    expect(await evaluate(script)).toEqual(PUBLISHED.map(() => true))
  })

  test('contract works: it validates, and it knows every operation', async () => {
    const script = `
      import { OPERATIONS, persona, validatorFor } from '@skein/contract'
      const violations = validatorFor(persona.schema).violations({ modle: '' })
      console.log(JSON.stringify({ operations: OPERATIONS.length > 20, isRefused: violations.length > 0 }))`
    expect(await evaluate(script)).toEqual({ operations: true, isRefused: true })
  })

  test('store brings the migrations and the functions', async () => {
    const script = `
      import { readFunctionSet, requiredSchemaVersion } from '@skein/store'
      console.log(JSON.stringify([await requiredSchemaVersion(), (await readFunctionSet()).checksum]))`
    expect(await evaluate(script)).toEqual([
      await requiredSchemaVersion(),
      (await readFunctionSet()).checksum,
    ])
  })

  test('dashboard is what browsers load, where the server looks for it', async () => {
    const script = `
      import { dirname } from 'node:path'
      import { fileURLToPath } from 'node:url'
      console.log(JSON.stringify(dirname(fileURLToPath(import.meta.resolve('@skein/dashboard/package.json')))))`
    const folder = String(await evaluate(script))
    const files = await readdir(join(folder, 'dist'), { recursive: true })
    expect(files).toContain('index.html')
    expect(files.filter((file) => /^assets\/index-.*\.js\.br$/.test(file))).toHaveLength(1)
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['LICENSE', 'dist', 'package.json']))
    expect(await readdir(folder)).not.toContain('src')
  })

  test.each([
    ['server', 'skein-server'],
    ['runner', 'skein-runner'],
    ['simulator', 'skein-simulator'],
    ['cli', 'skein'],
  ])('%s brings the command %s, which runs', async (name, program) => {
    const { bin = {} } = await readManifest(name)
    const command = join(packageFolder(name), bin[program] ?? '')
    const { stdout } = await run(process.execPath, ['--no-strip-types', command, '--help'])
    expect(stdout).toContain(program)
  })
})
