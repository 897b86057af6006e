import { cp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Skein } from '@skein/client'
import { createRepository, shareRepository } from '@skein/dev'
import { DEMO_REPOSITORY } from './demo-files.ts'

/** Identifies the demo's workspace. */
const DESCRIPTION =
  'A small library with a test that fails. Created by skein demo; skein demo --clean removes it.'
const NAME = 'demo'

/** The demo's workspace and the repository its agents work on. */
export interface DemoPlace {
  readonly workspace: string
  readonly repository: string
}

export async function findDemoPlace(skein: Skein, folder: string): Promise<DemoPlace | undefined> {
  for await (const { name, document } of skein.catalog.list('workspace')) {
    if (document['description'] === DESCRIPTION) return placeAt(folder, name)
  }
  return undefined
}

export async function createDemoPlace(skein: Skein, folder: string): Promise<DemoPlace> {
  const place = placeAt(folder, await findFreeName(skein))
  const { repository } = place
  // Left behind by a demo that was interrupted before it had a workspace.
  await rm(repository, { recursive: true, force: true })
  await createRepository(repository, (seed) => cp(DEMO_REPOSITORY, seed, { recursive: true }))
  await openToRunner(repository, join(folder, 'sample.git'))
  const repos = [{ url: repository, baseBranch: 'main' }]
  await skein.catalog.put(
    'workspace',
    place.workspace,
    { description: DESCRIPTION, repos },
    { ifGeneration: 0 },
  )
  return place
}

function placeAt(folder: string, workspace: string): DemoPlace {
  return { workspace, repository: join(folder, `${workspace}.git`) }
}

/** Ended agents keep their names and files, so the next demo needs a new workspace. */
async function findFreeName(skein: Skein): Promise<string> {
  const taken = new Set<string>()
  for await (const { name } of skein.catalog.list('workspace')) taken.add(name)
  for await (const { agentId } of skein.fleet({ account: '*', includeTerminal: true })) {
    taken.add(agentId.workspace)
  }
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? NAME : `${NAME}-${number}`
    if (!taken.has(name)) return name
  }
}

/** If root started `skein dev`, its runner is another user, whose group can access the sample repository. */
async function openToRunner(repository: string, sample: string): Promise<void> {
  const [own, shared] = await Promise.all([stat(repository), stat(sample)])
  if (own.gid !== shared.gid) await shareRepository(repository, shared.gid)
}
