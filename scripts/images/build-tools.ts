import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** For agent programs that a runner installs at its first start, and for agents. */
const NPM = {
  version: '11.19.1',
  integrity:
    'sha512-ztsxKxt/kkIaAs+2i0GU6I+DRmUdrNasxTZKJe9TCdSjKxlhah/4r/hl5ygMD6XAg1qZ9c2TNomR4qgOydp10g==',
}

export function stageNpm(folder: string): void {
  const download = mkdtempSync(join(tmpdir(), 'skein-npm-'))
  try {
    run('npm', ['pack', '--silent', '--pack-destination', download, `npm@${NPM.version}`])
    const tarball = join(download, `npm-${NPM.version}.tgz`)
    const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
    if (integrity !== NPM.integrity) throw new Error(`npm ${NPM.version} has another hash: ${integrity}`)
    mkdirSync(folder, { recursive: true })
    const unused = ['package/docs', 'package/man'].map((pattern) => `--exclude=${pattern}`)
    run('tar', ['-xzf', tarball, '--strip-components=1', '--no-same-owner', ...unused, '-C', folder])
  } finally {
    rmSync(download, { recursive: true, force: true })
  }
}

const SUITE = 'trixie'

/**
 * Debian with the given packages, made by mmdebstrap: for machines that reach a Debian mirror and no image registry.
 * Made once, and again when the packages change.
 */
export function makeBase(packages: readonly string[], epoch: number): string {
  const key = createHash('sha256')
    .update([SUITE, ...packages].join())
    .digest('hex')
    .slice(0, 12)
  const name = `localhost/skein-base:${SUITE}-${key}`
  if (succeeds('buildah', ['inspect', '--type', 'image', name])) return name
  const folder = mkdtempSync(join(tmpdir(), 'skein-base-'))
  try {
    const tar = join(folder, 'base.tar')
    const unused = ['man', 'doc', 'locale', 'info'].map(
      (part) => `--dpkgopt=path-exclude=/usr/share/${part}/*`,
    )
    run(
      'mmdebstrap',
      [
        '--quiet',
        '--variant=minbase',
        ...unused,
        '--dpkgopt=path-include=/usr/share/doc/*/copyright',
        // It differs from run to run.
        '--customize-hook=rm -f "$1/var/cache/ldconfig/aux-cache"',
        `--include=${packages.join()}`,
        SUITE,
        tar,
      ],
      { SOURCE_DATE_EPOCH: String(epoch) },
    )
    const container = ask('buildah', ['from', 'scratch'])
    run('buildah', ['add', '--quiet', container, tar, '/'])
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    run('buildah', ['config', '--env', `PATH=${path}`, container])
    run('buildah', ['commit', '--quiet', '--rm', '--timestamp', String(epoch), container, name])
    return name
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Lines `name version architecture`. */
export function listDebianPackages(image: string): string[] {
  const container = ask('buildah', ['from', '--pull-never', image])
  try {
    const format = '--showformat=${Package} ${Version} ${Architecture}\\n'
    return ask('buildah', ['run', container, '--', 'dpkg-query', '--show', format]).split('\n')
  } finally {
    run('buildah', ['rm', container])
  }
}

/** Progress goes to standard error, because the last line of standard output is for programs. */
export function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): void {
  execFileSync(program, args, { stdio: ['ignore', 2, 2], env: { ...process.env, ...env } })
}

export function ask(program: string, args: readonly string[]): string {
  const output = execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return output.trim()
}

function succeeds(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
