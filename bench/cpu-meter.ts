import { readFile } from 'node:fs/promises'
import { Client } from 'pg'

/**
 * The CPU time that a server and PostgreSQL have used together, in milliseconds. On a machine that others use too, it
 * says more than the clock: waiting for a core is not in it.
 */
export class CpuMeter {
  readonly #owner: Client

  private constructor(owner: Client) {
    this.#owner = owner
  }

  static async open(ownerUrl: string): Promise<CpuMeter> {
    const owner = new Client({ connectionString: ownerUrl })
    await owner.connect()
    return new CpuMeter(owner)
  }

  async read(serverPid: number): Promise<number> {
    const { rows } = await this.#owner.query<{ pid: number }>('select pid from pg_stat_activity')
    const times = await Promise.all([serverPid, ...rows.map(({ pid }) => pid)].map(cpuMsOf))
    return times.reduce((sum, time) => sum + time, 0)
  }

  close(): Promise<void> {
    return this.#owner.end()
  }
}

/** Of all threads. 0 for a process that has ended, and on systems without it. */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name may contain spaces. The 14th and 15th fields are user and system time, in hundredths of a second.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user ?? 0) + Number(system ?? 0)) * 10
}
