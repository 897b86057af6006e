import { execFile, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Skein } from '@skein/client'
import { findFreePort } from '@skein/host'
import { waitFor } from '@skein/testkit'

const run = promisify(execFile)

/** As compose.yaml names them. */
const PROJECT = 'skein'
const KEYS = `${PROJECT}_keys`
const NETWORK = `${PROJECT}_default`
const IMAGES = ['localhost/skein-server:0.0.0', 'localhost/skein-runner:0.0.0']
const STAND_IN = 'localhost/skein-compose-postgres:test'
/** With the installation of Claude from the registry. */
const START_MS = 600_000

/** Skein from a copy of deploy/compose, so that its secrets are not written into the checkout. */
export class ComposeInstallation {
  readonly #root: string
  readonly #folder: string
  readonly #listen: string
  readonly #postgres: string
  readonly page: ComposePage
  #env: Readonly<Record<string, string>> = {}

  private constructor(place: { root: string; folder: string; listen: string }, postgres: string) {
    this.#root = place.root
    this.#folder = place.folder
    this.#listen = place.listen
    this.#postgres = postgres
    this.page = readPage(place.root)
  }

  static async prepare(root: string, folder: string, postgres: string): Promise<ComposeInstallation> {
    if (!isThere('podman-compose', ['version']))
      throw new Error('podman-compose is not installed: pip install podman-compose')
    if (isThere('podman', ['volume', 'inspect', KEYS]))
      throw new Error(`There is a volume ${KEYS}: this test would use the installation that it belongs to`)
    cpSync(join(root, 'deploy/compose'), join(folder, 'deploy/compose'), {
      recursive: true,
      filter: (path) => !/\/(?:secrets|\.env)$/.test(path),
    })
    cpSync(join(root, 'deploy/images'), join(folder, 'deploy/images'), { recursive: true })
    mkdirSync(join(folder, 'home'))
    mkdirSync(join(folder, 'bin'))
    // `up` prefers Docker, which does not have the images: podman has.
    writeFileSync(join(folder, 'bin/docker'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    if (postgres === '') await buildStandIn(root)
    const listen = `127.0.0.1:${await findFreePort()}`
    return new ComposeInstallation({ root, folder, listen }, postgres === '' ? STAND_IN : postgres)
  }

  get url(): string {
    return `http://${this.#listen}`
  }

  /** The page's command. What is set stays set, as in the file .env. */
  async up(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#env = { ...this.#env, ...env }
    await run('deploy/compose/up', [], { cwd: this.#folder, env: this.#environment(), timeout: START_MS })
  }

  async untilReady(): Promise<void> {
    const isReady = async (): Promise<boolean> =>
      fetch(`${this.url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
    await waitFor(isReady, { what: 'the server to be ready', timeoutMs: START_MS, intervalMs: 500 })
  }

  async untilRunner(skein: Skein): Promise<string[]> {
    const find = async (): Promise<string[] | false> => {
      const found = await skein.runners().catch(() => [])
      const able = found.filter(({ backends }) => backends.some(({ problem }) => problem === ''))
      const working = able.flatMap(({ sandboxes }) => sandboxes).filter(({ problem }) => problem === '')
      return working.length > 0 && working.map(({ name }) => name)
    }
    return waitFor(find, {
      what: 'a runner with a model and a sandbox',
      timeoutMs: START_MS,
      intervalMs: 1_000,
    })
  }

  /** With the command that `up` prints. */
  async readKey(): Promise<string> {
    const cat = ['run', '--rm', '--entrypoint', 'cat', '--volume', `${KEYS}:/keys:ro`]
    const { stdout } = await run('podman', [...cat, IMAGES[1] ?? '', '/keys/admin'])
    return stdout.trim()
  }

  /** By the page's commands, up to the one that checks everything: a runner has no model yet. */
  async signIn(key: string): Promise<void> {
    for (const command of this.page.commands) {
      if (command !== 'doctor') await this.skein(command.replace(this.page.url, this.url), key)
    }
    const whoami = await this.skein('whoami')
    if (!whoami.includes('admin')) throw new Error(`Signed in as somebody else: ${whoami}`)
  }

  /** As the page has it put there. The simulator takes any. */
  async writeModelKey(): Promise<void> {
    const key = join(this.#folder, 'anthropic-api-key')
    writeFileSync(key, 'any')
    const target = 'deploy/compose/secrets/anthropic-api-key'
    await run('install', ['-m', '600', key, target], { cwd: this.#folder })
  }

  /** This machine's address in the network of the containers. */
  async hostAddress(): Promise<string> {
    const { stdout } = await run('podman', ['network', 'inspect', NETWORK])
    const address = /"gateway": "([\d.]+)"/i.exec(stdout)?.[1]
    if (address === undefined) throw new Error(`The network ${NETWORK} has no gateway: ${stdout}`)
    return address
  }

  async measureImages(): Promise<object> {
    const sizes: Record<string, number> = {}
    for (const image of [...IMAGES, this.#postgres]) {
      const { stdout } = await run('podman', ['image', 'inspect', '--format', '{{.Size}}', image])
      sizes[image] = Math.round(Number(stdout) / 1e6)
    }
    return sizes
  }

  async readLogs(): Promise<string> {
    return this.#compose('logs').then(({ stdout, stderr }) => stdout + stderr, String)
  }

  /** The page's command. */
  async remove(): Promise<void> {
    await this.#compose('down', '--volumes')
  }

  #compose(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    return run('podman-compose', args, {
      cwd: join(this.#folder, 'deploy/compose'),
      env: this.#environment(),
      maxBuffer: 64 * 1024 * 1024,
    })
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      PATH: `${join(this.#folder, 'bin')}:${process.env['PATH']}`,
      SKEIN_LISTEN: this.#listen,
      SKEIN_PUBLIC_URL: this.url,
      SKEIN_POSTGRES_IMAGE: this.#postgres,
      ...this.#env,
    }
  }

  /** A command of our own program. Reads the key that it asks for from its standard input. */
  skein(command: string, key = ''): Promise<string> {
    const main = join(this.#root, 'packages/cli/src/main.ts')
    const home = join(this.#folder, 'home')
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [main, ...command.split(' ')], {
        cwd: this.#folder,
        env: { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: home },
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text))
      child.on('error', reject)
      child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output))))
      child.stdin.end(`${key}\n`)
    })
  }
}

function isThere(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** In place of the official image of PostgreSQL. */
async function buildStandIn(root: string): Promise<void> {
  const options = ['--quiet', '--layers', '--network', 'host', '--tag', STAND_IN]
  const base = ['--build-arg', 'BASE=localhost/skein-debian:build']
  await run('buildah', ['build', ...options, ...base, join(root, 'e2e/deploy/postgres')], {
    env: { BUILDAH_ISOLATION: 'chroot', ...process.env },
  })
}

/** What the page has people type. */
interface ComposePage {
  /** After `skein`. */
  readonly commands: readonly string[]
  readonly url: string
  /** That it has the runner install. */
  readonly programs: string
}

function readPage(root: string): ComposePage {
  const text = readFileSync(join(root, 'docs/deploy/compose.md'), 'utf8')
  const commands = [...text.matchAll(/^\$ skein (.+)$/gm)].map(([, command = '']) => command)
  const url = /--url (\S+)/.exec(commands[0] ?? '')?.[1]
  const programs = /^\$ SKEIN_RUNNER_PROGRAMS=(\S+) deploy\/compose\/up$/m.exec(text)?.[1]
  if (url === undefined || programs === undefined || !commands.includes('doctor'))
    throw new Error('docs/deploy/compose.md no longer has the commands that this test follows')
  return { commands, url, programs }
}
