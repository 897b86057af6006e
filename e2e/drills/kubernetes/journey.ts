import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NO_LIMITS } from '@skein/testkit'
import type { Report } from '../../crash/report.ts'
import type { Cluster } from './cluster.ts'
import type { DatabaseUrls } from './database.ts'
import { HOST } from './node-config.ts'
import { readCommands } from './page.ts'
import { Shell } from './shell.ts'

/** What the chart is upgraded to. */
export const NEXT = '0.0.1'

export interface Service {
  /** From this machine. */
  readonly url: string
  readonly adminKey: string
}

interface JourneyOptions {
  readonly root: string
  readonly folder: string
  readonly programs: string
  readonly print: (line: string) => void
}

/** Follows docs/deploy/kubernetes.md: its commands are not repeated here, so that page and drill cannot differ. */
export class Journey {
  /** How long each step took. */
  readonly seconds: Record<string, number> = {}
  readonly #options: JourneyOptions
  readonly #commands: ReadonlyMap<string, string>
  readonly #followed = new Set<string>()
  readonly #checkout: string
  readonly #shell: Shell

  constructor(options: JourneyOptions) {
    const { root, folder, programs } = options
    this.#options = options
    this.#commands = readCommands(join(root, 'docs/deploy/kubernetes.md'))
    this.#checkout = join(folder, 'checkout')
    linkCheckout(root, this.#checkout)
    this.#shell = new Shell({
      folder: this.#checkout,
      env: {
        BUILDAH_ISOLATION: 'chroot',
        BUILDAH_LAYERS: 'true',
        ...process.env,
        KUBECONFIG: join(folder, 'config/admin.kubeconfig'),
        PATH: `${programs}:${process.env['PATH']}`,
      },
      logFile: join(folder, 'page.log'),
    })
  }

  async measure<Result>(step: string, act: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now()
    const result = await act()
    this.seconds[step] = Math.round((performance.now() - startedAt) / 100) / 10
    this.#options.print(`${step}: ${this.seconds[step]} s`)
    return result
  }

  /** Runs a block of the page. Returns what it printed. */
  async follow(name: string): Promise<string> {
    const commands = this.#commands.get(name)
    if (commands === undefined) throw new Error(`The page has no block ${name}`)
    this.#followed.add(name)
    return this.#shell.run(commands)
  }

  /** Builds that reach the npm registry through a proxy of this machine's network need its root certificates. */
  async trustOurCertificates(): Promise<void> {
    const certificates = process.env['NODE_EXTRA_CA_CERTS']
    if (certificates === undefined) return
    const inside = '/etc/ssl/certs/ca-certificates.crt'
    writeFileSync(join(this.#checkout, 'npmrc'), `cafile=${inside}\n`)
    const volumes = `--volume '${certificates}:${inside}:ro' --volume "$PWD/npmrc:/opt/.npmrc:ro"`
    await this.#shell.run(`buildah() { command buildah "$1" ${volumes} "\${@:2}"; }`)
  }

  /** From an empty cluster with a database to an administrator who is logged in. */
  async install(cluster: Cluster, database: DatabaseUrls, isPlanted: boolean): Promise<Service> {
    await this.#say({
      REGISTRY: 'localhost',
      DATABASE_URL: database.server,
      OWNER_DATABASE_URL: database.owner,
      PUBLIC_URL: 'http://127.0.0.1:8080',
      ANTHROPIC_API_KEY: 'any',
    })
    await this.measure('secrets', () => this.follow('secrets'))
    await this.follow('values')
    // The load is more than one tenant may cause.
    const planted = isPlanted ? '\n  shutdownDelaySeconds: 0' : ''
    this.#change('skein.yaml', 'server:', `server:\n  env: ${JSON.stringify(NO_LIMITS)}${planted}`)
    await this.measure('install', () => this.follow('install'))
    await this.measure('log in', async () => {
      await this.follow('key')
      await this.follow('try')
    })
    const adminKey = (await this.#shell.run('echo "$SKEIN_API_KEY"')).trim()
    const { spec } = await cluster.get<{ spec: { clusterIP: string } }>('service/skein-server', '-n', 'skein')
    return { url: `http://${spec.clusterIP}`, adminKey }
  }

  async installRunners(cluster: Cluster, modelUrl: string): Promise<void> {
    await this.measure('runners', async () => {
      this.#followed.add('node')
      await cluster.inside('bash', '-c', `cd '${this.#checkout}' && ${this.#commands.get('node')}`)
      await this.follow('machine')
      await this.follow('runner-secrets')
      await this.follow('runner-values')
      const env = { ANTHROPIC_BASE_URL: modelUrl, SKEIN_RUNNER_REPO_RANGES: HOST }
      this.#change('runners.yaml', 'runner:', `runner:\n  env: ${JSON.stringify(env)}`)
      await this.follow('runners')
    })
    await this.follow('doctor')
  }

  /** The checkout becomes that of the next version. */
  checkOutNext(): void {
    const { root } = this.#options
    rmSync(join(this.#checkout, 'deploy'))
    cpSync(join(root, 'deploy'), join(this.#checkout, 'deploy'), { recursive: true })
    this.#change('deploy/chart/Chart.yaml', 'appVersion: 0.0.0', `appVersion: ${NEXT}`)
  }

  async uninstall(cluster: Cluster, report: Report): Promise<void> {
    await this.measure('uninstall', () => this.follow('uninstall'))
    const kinds = 'deployments,services,poddisruptionbudgets,networkpolicies,replicasets'
    const left = await Promise.all(
      ['skein', 'skein-runners'].map((each) => cluster.kubectl('get', kinds, '-n', each, '--output', 'name')),
    )
    const names = left.join('').split('\n').filter(Boolean)
    report.check('wrong', 'nothing is left of an uninstalled release', 2, names)
    const missed = [...this.#commands.keys()].filter((name) => !this.#followed.has(name) && name !== 'yours')
    report.check('wrong', 'every command of the page was run', this.#commands.size, missed)
  }

  end(): void {
    this.#shell.end()
  }

  /** Instead of the page's examples. */
  async #say(values: Readonly<Record<string, string>>): Promise<void> {
    const named = [...(this.#commands.get('yours') ?? '').matchAll(/^export (\w+)=/gm)].map(
      ([, name]) => name,
    )
    if (named.join() !== Object.keys(values).join()) throw new Error(`The page asks for ${named.join()}`)
    const lines = Object.entries(values).map(([name, value]) => `export ${name}='${value}'`)
    await this.#shell.run(lines.join('\n'))
  }

  #change(file: string, from: string, to: string): void {
    const path = join(this.#checkout, file)
    const text = readFileSync(path, 'utf8')
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
    writeFileSync(path, text.replace(from, to))
  }
}

/** A checkout to which the page's commands can write files. */
function linkCheckout(root: string, folder: string): void {
  mkdirSync(folder)
  for (const name of readdirSync(root)) if (name !== '.git') symlinkSync(join(root, name), join(folder, name))
}
