/**
 * `npm run deb -- --out <folder>`: creates the Debian packages skein-server and skein-runner, with the units of
 * deploy/systemd, from the tarballs of `npm run pack`. Node is inside. The last line is JSON with their sizes.
 * `--version` gives them another version than the checkout has, to try an upgrade.
 */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ask, run } from './images/build-tools.ts'
import { findNeededPackages, type Lock } from './images/needed-packages.ts'
import { stageProgram } from './images/stage-program.ts'

interface DebianPackage {
  readonly description: string
  readonly depends: readonly string[]
  readonly units: readonly string[]
  readonly postinst: string
}

const RELOAD = 'if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi'

const PACKAGES: Readonly<Record<'server' | 'runner', DebianPackage>> = {
  server: {
    description: "Skein's server: runs fleets of long-lived coding agents",
    depends: [],
    units: ['skein-server.service', 'skein-migrate.service'],
    postinst: RELOAD,
  },
  runner: {
    description: "Skein's runner: executes coding agents, metered and sandboxed",
    depends: ['git (>= 1:2.37)', 'bubblewrap (>= 0.8)', 'slirp4netns', 'nftables', 'iproute2'],
    units: ['skein-runner.service'],
    postinst: `getent passwd skein >/dev/null || useradd --system --home-dir /var/lib/skein-runner --no-create-home --shell /usr/sbin/nologin skein\n${RELOAD}`,
  },
}

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist' },
    tarballs: { type: 'string', default: '' },
    version: { type: 'string', default: '' },
  },
})
const root = fileURLToPath(new URL('../', import.meta.url))
const out = resolve(values.out)
const released = (readJson('package.json') as { version: string }).version
const version = values.version === '' ? released : values.version
const lock = readJson('package-lock.json') as Lock
const architecture = ask('dpkg', ['--print-architecture'])
const epoch = process.env['SOURCE_DATE_EPOCH'] ?? ask('git', ['-C', root, 'log', '-1', '--format=%ct'])
const folder = mkdtempSync(join(tmpdir(), 'skein-deb-'))
try {
  const tarballs = values.tarballs === '' ? pack() : values.tarballs
  mkdirSync(out, { recursive: true })
  const sizes = (['server', 'runner'] as const).map((program) => [
    `skein-${program}`,
    build(program, tarballs),
  ])
  console.log(JSON.stringify(Object.fromEntries(sizes)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function pack(): string {
  run('npm', ['run', '--silent', 'pack', '--', '--out', join(folder, 'tarballs')])
  return join(folder, 'tarballs')
}

function build(program: 'server' | 'runner', tarballs: string): object {
  const { units, postinst } = PACKAGES[program]
  const tree = join(folder, program)
  const home = `/usr/lib/skein/${program}`
  stageProgram(findNeededPackages(lock, `packages/${program}`), { root, tarballs, folder: join(tree, home) })
  setVersion(join(tree, home, `node_modules/@skein/${program}/package.json`))
  for (const path of ['DEBIAN', 'etc/skein', 'usr/bin', 'usr/lib/systemd/system', `${home}/bin`])
    mkdirSync(join(tree, path), { recursive: true })
  run('strip', ['-o', join(tree, home, 'bin/node'), join(root, 'node_modules/node/bin/node')])
  const main = `${home}/node_modules/@skein/${program}/bin/skein-${program}.mjs`
  writeScript(join(tree, `usr/bin/skein-${program}`), `exec ${home}/bin/node ${main} "$@"`)
  for (const unit of units)
    cpSync(join(root, 'deploy/systemd', unit), join(tree, 'usr/lib/systemd/system', unit))
  const settings = `etc/skein/${program}.env`
  cpSync(join(root, `deploy/systemd/${program}.env`), join(tree, settings))
  writeFileSync(join(tree, 'DEBIAN/conffiles'), `/${settings}\n`)
  writeFileSync(join(tree, 'DEBIAN/control'), describe(program))
  writeScript(join(tree, 'DEBIAN/postinst'), `set -e\n${postinst}`)
  run('chmod', ['-R', 'u=rwX,go=rX', tree])
  const file = join(out, `skein-${program}_${version}_${architecture}.deb`)
  run('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', tree, file], { SOURCE_DATE_EPOCH: epoch })
  return {
    file: `skein-${program}_${version}_${architecture}.deb`,
    megabytes: Math.round(statSync(file).size / 1e6),
  }
}

function describe(program: 'server' | 'runner'): string {
  const { description, depends } = PACKAGES[program]
  return [
    `Package: skein-${program}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: The Skein authors <maintainers@skein.example>',
    `Depends: ${['libc6', 'libstdc++6', 'ca-certificates', ...depends].join(', ')}`,
    'Section: net',
    'Priority: optional',
    'Homepage: https://github.com/skein/skein',
    `Description: ${description}`,
    '',
  ].join('\n')
}

/** What the program says when it is asked for its version. */
function setVersion(manifest: string): void {
  const described = JSON.parse(readFileSync(manifest, 'utf8')) as object
  writeFileSync(manifest, JSON.stringify({ ...described, version }, null, 2))
}

function writeScript(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}
