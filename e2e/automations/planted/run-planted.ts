import { runPlantedBugs } from '../../crash/planted/run-planted-bugs.ts'
import { automationsTest } from '../automations-test.ts'
import type { CommandLine } from '../options.ts'
import { BUGS } from './bugs.ts'

const SECONDS = 30
const REST_SECONDS = 40
/** Without a bug everything arrives, however long a busy machine takes. */
const QUIET_REST_SECONDS = 240

export function runPlanted(root: string, { names, seed }: CommandLine): Promise<boolean> {
  return runPlantedBugs(root, { bugs: BUGS, names }, async (copy, isPlanted) => {
    const restSeconds = isPlanted ? REST_SECONDS : QUIET_REST_SECONDS
    return (await automationsTest(copy, { seconds: SECONDS, kills: 0, restSeconds, seed })).report
  })
}
