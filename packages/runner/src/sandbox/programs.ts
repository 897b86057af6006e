import { randomBytes } from 'node:crypto'
import type { ProcessMark } from '@skein/host'
import type { Cgroup } from './limits/cgroup.ts'
import type { DiskWatch } from './limits/disk-watch.ts'
import { failedProcess, Program, type Launch } from './program.ts'
import type { SandboxProcess, SandboxSpec } from './sandbox.ts'

interface ProgramsOptions {
  /** How processes are recognised: the file in /proc, and the text before the mark. */
  readonly marked: { readonly file: ProcessMark['file']; readonly prefix: string }
  readonly cgroup: Cgroup
}

/** The programs of one sandbox. */
export class Programs {
  readonly #options: ProgramsOptions
  /** Unique on this host, so that other processes are never mistaken for ours. */
  readonly #token: string
  readonly #running = new Set<Program>()
  #count = 0
  #breach = ''
  #endWatch: () => void = () => undefined
  #disposal: Promise<void> | undefined

  /** Ends everything when the sandbox's folders exceed their limit. */
  static async watch(spec: SandboxSpec, disk: DiskWatch, options: ProgramsOptions): Promise<Programs> {
    const programs = new Programs(spec.id, options)
    await programs.#watchDisk(disk, spec)
    return programs
  }

  private constructor(sandboxId: string, options: ProgramsOptions) {
    this.#options = options
    this.#token = nameUniquely(sandboxId)
  }

  /** Why everything was ended; empty if it wasn't. */
  get breach(): string {
    return this.#breach
  }

  async #watchDisk(watch: DiskWatch, { workDir, stateDir, limits }: SandboxSpec): Promise<void> {
    this.#endWatch = await watch.add({
      dirs: [workDir, stateDir],
      maxBytes: limits.diskMib * 1024 * 1024,
      listProcesses: () => [...this.#running].flatMap((program) => program.listProcesses()),
      onBreach: (reason) => {
        this.#breach = reason
        for (const program of this.#running) program.kill()
      },
    })
  }

  /** `prepare` must put the given text into the environment or command line: see `marked`. */
  start(prepare: (mark: string) => Launch): SandboxProcess {
    if (this.#disposal) return failedProcess('The sandbox is disposed')
    if (this.#breach !== '') return failedProcess(this.#breach)
    const { marked, cgroup } = this.#options
    this.#count += 1
    const mark = `${this.#token}.${this.#count}.`
    try {
      const program = new Program(prepare(mark), { file: marked.file, text: marked.prefix + mark }, cgroup)
      this.#running.add(program)
      void program.closed.then(() => this.#running.delete(program))
      return program
    } catch (error) {
      return failedProcess(error instanceof Error ? error.message : String(error))
    }
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#end()
    return this.#disposal
  }

  async #end(): Promise<void> {
    this.#endWatch()
    for (const program of this.#running) program.kill()
    await Promise.all([...this.#running].map(({ ended }) => ended))
    for (const program of this.#running) program.dropUnread()
    await this.#options.cgroup.remove()
  }
}

export function nameUniquely(id: string): string {
  return `${id.replaceAll(/[^\w-]/g, '-').slice(0, 60)}-${randomBytes(8).toString('hex')}`
}
