import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asRecord } from '../profile/profile-file.ts'

const FILE = 'demo.json'

/** Marks a folder the demo created and may remove. */
export interface DemoMark {
  /** Pid of the `skein dev` the demo started; 0 while starting. */
  readonly pid: number
}

export function writeDemoMark(folder: string, mark: DemoMark): Promise<void> {
  return writeFile(join(folder, FILE), `${JSON.stringify(mark)}\n`, { mode: 0o600 })
}

export async function readDemoMark(folder: string): Promise<DemoMark | undefined> {
  try {
    const { pid } = asRecord(JSON.parse(await readFile(join(folder, FILE), 'utf8')))
    return typeof pid === 'number' ? { pid } : undefined
  } catch {
    return undefined
  }
}

export function removeDemoMark(folder: string): Promise<void> {
  return rm(join(folder, FILE), { force: true })
}
