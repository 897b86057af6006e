import { HelperProcess } from '../helper-process.ts'
import { nameUniquely } from '../programs.ts'
import { createCgroup, type Cgroup } from './cgroup.ts'
import type { CgroupPlace } from './cgroup-places.ts'

/** Any limit will do: it is only about being in a group. */
const LIMITS = { cpus: 0, memoryMib: 0, processes: 16 }

interface Passenger {
  readonly group: Cgroup
  readonly helper: HelperProcess
}

/**
 * The kernel lets the first move of a process into a cgroup wait for all CPUs, 5 to 15 ms, but not another one within
 * about 25 ms. A new program must wait for its move. So when one is about to be started, a helper that does nothing is
 * moved into the group where it is already.
 */
export class EarlyMove {
  readonly #places: readonly CgroupPlace[] | undefined
  #passenger: Promise<Passenger | undefined> | undefined
  #moving: Promise<void> | undefined

  constructor(places?: readonly CgroupPlace[]) {
    this.#places = places
  }

  /** Starts the helper, unless there is one. */
  prepare(): void {
    this.#passenger ??= takeSeat(this.#places).catch(() => undefined)
  }

  /** Resolves when the next move will not wait. At once if there is no helper. */
  make(): Promise<void> {
    this.#moving ??= this.#move().finally(() => {
      this.#moving = undefined
    })
    return this.#moving
  }

  async close(): Promise<void> {
    const passenger = await this.#passenger
    this.#passenger = Promise.resolve(undefined)
    await passenger?.helper.end()
    await passenger?.group.remove()
  }

  async #move(): Promise<void> {
    const passenger = await this.#passenger
    // The pid of one that was ended may be another process's by now.
    if (passenger?.helper.isRunning === true) await passenger.group.readmit(passenger.helper.pid)
  }
}

/** Undefined if there are no cgroups. */
async function takeSeat(places?: readonly CgroupPlace[]): Promise<Passenger | undefined> {
  const group = await createCgroup(nameUniquely('skein-early-move'), LIMITS, places)
  if (group.holds.size === 0) return undefined
  const helper = new HelperProcess('cat', [])
  if (helper.isRunning && group.admit(helper.pid)) return { group, helper }
  await helper.end()
  await group.remove()
  return undefined
}
