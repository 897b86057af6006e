/**
 * `npm run images`: builds the images of the server and the runner with buildah, from the tarballs of `npm run pack`.
 * The last line is JSON: each image's name, digest and size. The same commit on the same base gives the same digests.
 */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ask, listDebianPackages, makeBase, run, stageNpm } from './images/build-tools.ts'
import { describeImage } from './images/image-sbom.ts'
import { findNeededPackages, type Lock } from './images/needed-packages.ts'
import { stageProgram } from './images/stage-program.ts'

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '' },
    tarballs: { type: 'string', default: '' },
    tag: { type: 'string', default: '' },
    // Builds every layer again, to check that the digests stay the same.
    fresh: { type: 'boolean', default: false },
  },
})

const root = fileURLToPath(new URL('../', import.meta.url))
const images = join(root, 'deploy/images')
const { version } = readJson(join(root, 'package.json')) as { version: string }
const lock = readJson(join(root, 'package-lock.json')) as Lock & {
  packages: Record<string, { integrity?: string; version?: string }>
}
const nodeVersion = lock.packages['node_modules/node']?.version ?? ''
const tag = values.tag === '' ? version : values.tag
const epoch = Number(
  process.env['SOURCE_DATE_EPOCH'] ?? ask('git', ['-C', root, 'log', '-1', '--format=%ct']),
)
const context = mkdtempSync(join(tmpdir(), 'skein-images-'))

/** What the server's image has of Debian; see the stage `libraries` of the Containerfile. */
const SERVER_LIBRARIES = new Set(['libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates'])

try {
  const packages = readFileSync(join(images, 'packages.txt'), 'utf8').trim().split('\n')
  const base = values.base === '' ? makeBase(packages, epoch) : values.base
  const tarballs = values.tarballs === '' ? pack() : values.tarballs
  prepareContext(tarballs)
  build('debian', base)
  const debian = listDebianPackages(imageName('debian'))
  const ofServer = debian.filter((line) => SERVER_LIBRARIES.has(line.split(' ')[0] ?? ''))
  writeSbom('server', ofServer)
  writeSbom('runner', debian)
  build('server', base)
  build('runner', base)
  console.log(JSON.stringify({ server: measure('server'), runner: measure('runner') }))
} finally {
  rmSync(context, { recursive: true, force: true })
}

function pack(): string {
  const folder = join(context, 'tarballs')
  run('npm', ['run', '--silent', 'pack', '--', '--out', folder])
  return folder
}

function prepareContext(tarballs: string): void {
  for (const program of ['server', 'runner']) {
    const needed = findNeededPackages(lock, `packages/${program}`)
    stageProgram(needed, { root, tarballs, folder: join(context, program, 'opt/skein') })
  }
  stageNpm(join(context, 'npm'))
  mkdirSync(join(context, 'node'))
  // Without its symbols it is 18 MB smaller.
  run('strip', ['-o', join(context, 'node/node'), join(root, 'node_modules/node/bin/node')])
  mkdirSync(join(context, 'runner/usr/bin'), { recursive: true })
  copyFileSync(join(images, 'skein-runner.sh'), join(context, 'runner/usr/bin/skein-runner'))
  chmodSync(join(context, 'runner/usr/bin/skein-runner'), 0o755)
  copyFileSync(join(images, 'packages.txt'), join(context, 'packages.txt'))
}

function writeSbom(program: string, debian: readonly string[]): void {
  const folder = join(context, program, 'usr/share/sbom')
  mkdirSync(folder, { recursive: true })
  const sbom = describeImage({
    image: `skein-${program}`,
    version,
    packages: findNeededPackages(lock, `packages/${program}`),
    integrity: (place) => lock.packages[place]?.integrity,
    nodeVersion,
    debian,
    createdAt: new Date(epoch * 1000),
  })
  writeFileSync(join(folder, `skein-${program}.cdx.json`), sbom)
}

function build(target: string, base: string): void {
  run(
    'buildah',
    [
      ['build', '--quiet', '--layers', ...(values.fresh ? ['--no-cache'] : []), '--timestamp', String(epoch)],
      ['--file', join(images, 'Containerfile'), '--target', target, '--build-arg', `BASE=${base}`],
      ['--tag', imageName(target), context],
    ].flat(),
  )
}

/** The name of what both are built on becomes part of their history, so it is the same for every tag. */
function imageName(target: string): string {
  return `localhost/skein-${target}:${target === 'debian' ? 'build' : tag}`
}

function measure(target: string): object {
  const name = imageName(target)
  const [found] = JSON.parse(ask('podman', ['image', 'inspect', name])) as [{ Digest: string; Size: number }]
  return { name, digest: found.Digest, megabytes: Math.round(found.Size / 1e6) }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
