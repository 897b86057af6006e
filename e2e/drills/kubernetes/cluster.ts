import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { waitFor } from '@skein/testkit'
import { CGROUP, HOST, NODE, PODS, SERVICES, writeNodeConfig } from './node-config.ts'

const run = promisify(execFile)
const nodeScript = fileURLToPath(new URL('node.sh', import.meta.url))

/** Covered by folders of the drill inside of the node. */
const COVERED = [
  '/var/lib/kubelet',
  '/var/lib/containerd',
  '/var/lib/cni',
  '/run/containerd',
  '/var/log/pods',
  '/var/log/containers',
  '/etc/cni/net.d',
]
const CABLE = 'skein-drill'
const START_MS = 180_000
/** By default, all pods together would get as much as a single process of this machine: 1024. */
const CPU_SHARES = 16_384

export interface ClusterOptions {
  /** Where get-kubernetes.sh has put the programs. */
  readonly programs: string
  readonly folder: string
}

/**
 * A Kubernetes of one node, in namespaces of its own: this machine gets one network interface and two routes, and both
 * go when it is stopped. Pods and services can be reached from here.
 */
export class Cluster {
  readonly #programs: string
  readonly #folder: string
  readonly #node: ChildProcess
  #pid = 0
  readonly #onExit = (): void => this.#clean()

  static async start(options: ClusterOptions): Promise<Cluster> {
    if (existsSync(`/sys/class/net/${CABLE}`)) throw new Error(`Another drill has the network ${CABLE}.`)
    for (const path of COVERED) mkdirSync(path, { recursive: true })
    makeCgroups()
    writeNodeConfig(join(options.folder, 'config'))
    const cluster = new Cluster(options)
    try {
      await cluster.#connect()
      await cluster.#untilReady()
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  private constructor({ programs, folder }: ClusterOptions) {
    this.#programs = programs
    this.#folder = folder
    for (const part of ['data', 'logs']) mkdirSync(join(folder, part), { recursive: true })
    const log = openSync(join(folder, 'logs/node.log'), 'a')
    // However this process ends, the node ends with it.
    const namespaces = ['--mount', '--net', '--pid', '--fork', '--mount-proc', '--propagation', 'private']
    const command = ['--pdeathsig', 'KILL', 'unshare', ...namespaces, '--kill-child', 'bash', nodeScript]
    this.#node = spawn('setpriv', command, {
      env: {
        PATH: process.env['PATH'],
        BIN: programs,
        CONFIG: join(folder, 'config'),
        DATA: join(folder, 'data'),
        LOGS: join(folder, 'logs'),
        NODE,
        HOST,
      },
      stdio: ['ignore', log, log],
    })
    process.once('exit', this.#onExit)
  }

  /** For programs that use the cluster. */
  get env(): NodeJS.ProcessEnv {
    const kubeconfig = join(this.#folder, 'config/admin.kubeconfig')
    return { ...process.env, KUBECONFIG: kubeconfig, PATH: `${this.#programs}:${process.env['PATH']}` }
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('kubectl', args, { env: this.env, maxBuffer: 64 * 1024 * 1024 })
    return stdout
  }

  async get<Answer>(...args: readonly string[]): Promise<Answer> {
    return JSON.parse(await this.kubectl('get', ...args, '--output', 'json')) as Answer
  }

  async create(object: object): Promise<void> {
    const file = join(this.#folder, 'object.json')
    writeFileSync(file, JSON.stringify(object))
    await this.kubectl('create', '--filename', file)
  }

  /** Copies an image of this machine's buildah into the node. */
  async load(image: string): Promise<void> {
    const file = join(this.#folder, 'image.tar')
    await run('buildah', ['push', '--quiet', image, `docker-archive:${file}:${image}`])
    await this.inside('ctr', '--namespace', 'k8s.io', 'images', 'import', file)
    await run('rm', [file])
  }

  /** Gives an image of the node another name. */
  async tag(image: string, name: string): Promise<void> {
    await this.inside('ctr', '--namespace', 'k8s.io', 'images', 'tag', image, name)
  }

  /** Runs a command on the node. */
  async inside(...command: readonly string[]): Promise<string> {
    const args = [`--target=${this.#pid}`, '--mount', '--net', '--pid', ...command]
    const { stdout } = await run('nsenter', args, { env: this.env })
    return stdout
  }

  async stop(): Promise<void> {
    process.off('exit', this.#onExit)
    const ended = new Promise((resolve) => this.#node.once('exit', resolve))
    this.#clean()
    await ended
    await waitFor(() => removeCgroups(), { what: 'the cgroups to be empty', timeoutMs: 30_000 })
  }

  #clean(): void {
    // The kernel ends every process of the namespace with its first one, and removes the cable.
    if (this.#pid > 0) kill(this.#pid)
    this.#node.kill('SIGKILL')
  }

  /** Lays the cable between the node and this machine. */
  async #connect(): Promise<void> {
    const isReady = join(this.#folder, 'data/is-ready-for-network')
    await waitFor(() => existsSync(isReady), { what: 'the node to start', timeoutMs: 30_000 })
    const parent = this.#node.pid
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
    this.#pid = Number(children.trim())
    ip('link', 'add', CABLE, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(this.#pid))
    ip('address', 'add', `${HOST}/24`, 'dev', CABLE)
    ip('link', 'set', CABLE, 'up')
    for (const network of [PODS, SERVICES]) ip('route', 'add', network, 'via', NODE)
  }

  async #untilReady(): Promise<void> {
    const ready = async (...args: string[]): Promise<boolean> =>
      this.kubectl(...args).then(
        (answer) => answer !== '',
        () => false,
      )
    await waitFor(() => ready('get', '--raw', '/readyz'), { what: 'the API server', timeoutMs: START_MS })
    // Made by the controller manager, and needed by every pod.
    await waitFor(() => ready('get', 'serviceaccount', 'default'), {
      what: 'service accounts',
      timeoutMs: START_MS,
    })
    await waitFor(() => ready('get', 'node', 'node'), { what: 'the node', timeoutMs: START_MS })
    await this.kubectl('wait', '--for=condition=Ready', 'node/node', '--timeout=120s')
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

function controllers(): string[] {
  if (CGROUP === undefined) return []
  const folders = readdirSync('/sys/fs/cgroup', { withFileTypes: true })
  return folders
    .filter((entry) => entry.isDirectory() && entry.name !== 'unified')
    .map(({ name }) => `/sys/fs/cgroup/${name}`)
}

function makeCgroups(): void {
  for (const controller of controllers()) {
    const group = `${controller}/${CGROUP}`
    mkdirSync(group, { recursive: true })
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      if (existsSync(`${controller}/${file}`))
        writeFileSync(`${group}/${file}`, readFileSync(`${controller}/${file}`))
    const shares = `${group}/cpu.shares`
    if (existsSync(shares)) writeFileSync(shares, String(CPU_SHARES))
  }
}

/** Returns whether nothing is left of them. */
function removeCgroups(): boolean {
  return controllers().every((controller) => removeGroup(`${controller}/${CGROUP}`))
}

function removeGroup(group: string): boolean {
  if (!existsSync(group)) return true
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(`${group}/${entry.name}`)
  try {
    rmdirSync(group)
    return true
  } catch {
    return false
  }
}
