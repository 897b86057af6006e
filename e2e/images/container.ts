import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface ContainerOptions {
  readonly name: string
  readonly image: string
  readonly env: Readonly<Record<string, string>>
  /** More options of `podman run`. */
  readonly options?: readonly string[]
  readonly command?: readonly string[]
}

/** As our pages say a container should run: nothing to write to, no capabilities. It shares the loopback interface. */
function toArguments({ name, image, env, options = [], command = [] }: ContainerOptions): string[] {
  const variables = Object.entries(env).flatMap(([variable, value]) => ['--env', `${variable}=${value}`])
  return [
    ['--name', name, '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ['--network', 'host', ...variables, ...options, image, ...command],
  ].flat()
}

/** A container from its start to its end. */
export async function runContainer(options: ContainerOptions): Promise<string> {
  const { stdout } = await run('podman', ['run', '--rm', ...toArguments(options)])
  return stdout
}

export async function startContainer(options: ContainerOptions): Promise<Container> {
  await run('podman', ['run', '--detach', ...toArguments(options)])
  return new Container(options.name)
}

export class Container {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  async readLogs(): Promise<string> {
    const { stdout, stderr } = await run('podman', ['logs', this.name], { maxBuffer: 64 * 1024 * 1024 })
    return stdout + stderr
  }

  /** Of all its processes. */
  async readMemoryMib(): Promise<number> {
    const { stdout } = await run('podman', ['inspect', '--format', '{{.State.Pid}}', this.name])
    return Math.round((await readTreeKib(stdout.trim())) / 1024)
  }

  /** How long it took to end by itself after SIGTERM. */
  async stop(limitSeconds = 60): Promise<number> {
    const startedAt = performance.now()
    await run('podman', ['stop', '--time', String(limitSeconds), this.name])
    return Math.round(performance.now() - startedAt)
  }

  async remove(): Promise<void> {
    await run('podman', ['rm', '--force', '--volumes', this.name])
  }
}

async function readTreeKib(pid: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  let sum = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
  for (const child of children.split(' ').filter((part) => part !== '')) sum += await readTreeKib(child)
  return sum
}
