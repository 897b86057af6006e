import { rmSync } from 'node:fs'
import { plant, whyUnapplied } from '../../crash/planted/plant.ts'
import { automationsTest } from '../automations-test.ts'
import type { CommandLine } from '../options.ts'
import { BUGS } from './bugs.ts'

const SECONDS = 30
const REST_SECONDS = 40

/** Plants one bug after the other into a copy of the source. Each must be noticed. */
export async function runPlanted(root: string, { names, seed }: CommandLine): Promise<boolean> {
  const chosen = names.length === 0 ? BUGS : BUGS.filter(({ name }) => names.includes(name))
  const missed: string[] = []
  for (const bug of chosen) {
    const why = whyUnapplied(root, bug)
    const copy = why === undefined ? plant(root, bug) : undefined
    let faults = 0
    if (copy !== undefined) {
      const result = await automationsTest(copy, {
        seconds: SECONDS,
        kills: 0,
        restSeconds: REST_SECONDS,
        seed,
      })
      faults = result.faults
      rmSync(copy, { recursive: true, force: true })
    }
    if (faults === 0) missed.push(bug.name)
    console.log(`${faults === 0 ? 'FAIL' : 'ok  '}  ${bug.name}: ${why ?? `${faults} faults`}`)
  }
  console.log(JSON.stringify({ planted: chosen.length, caught: chosen.length - missed.length, missed }))
  return missed.length === 0
}
