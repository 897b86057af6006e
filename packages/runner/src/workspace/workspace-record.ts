import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'

const Record = z.object({
  isSetUp: z.boolean(),
  /** Whether everything was saved when the folder was last used. */
  isSaved: z.boolean(),
  repos: z.record(
    z.string(),
    z.object({ url: z.string(), savedCommit: z.string(), branchCommit: z.string() }),
  ),
})

/** What we know about an agent's folder. Stored next to the agent's directories, where only we can write. */
export type WorkspaceRecord = Readonly<z.infer<typeof Record>>
/** The upstream's refs when the folder last matched them; empty for a ref that did not exist. */
export type RepoRecord = Readonly<WorkspaceRecord['repos'][string]>

export function emptyRecord(): WorkspaceRecord {
  return { isSetUp: false, isSaved: true, repos: {} }
}

export async function readRecord(path: string): Promise<WorkspaceRecord | undefined> {
  try {
    return Record.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return undefined
  }
}

export async function writeRecord(path: string, record: WorkspaceRecord): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(record))
  await rename(`${path}.new`, path)
}
