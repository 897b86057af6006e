import { rm } from 'node:fs/promises'
import type { Skein } from '@skein/client'
import { DataDir, SAMPLE_WORKSPACE } from '@skein/dev'
import type { CommandContext } from '../command-line/command-context.ts'
import type { FolderProfile } from '../profile/folder-profile.ts'
import { connectTo } from './connect-to.ts'
import { readDemoMark, removeDemoMark } from './demo-mark.ts'
import { findDemoPlace, type DemoPlace } from './demo-place.ts'
import { findDev } from './find-dev.ts'
import { listDemoAgents, nameOf } from './make-demo.ts'
import { startDev } from './start-dev.ts'

/** Kinds a person may have written and would miss. */
const PERSONAL_KINDS = [
  'workspace',
  'persona',
  'environment',
  'secret',
  'profile',
  'integration',
  'schedule',
  'trigger',
] as const

/** Removes the demo's agents, and the Skein around them only if the demo started it. */
export async function cleanDemo(context: CommandContext): Promise<void> {
  const dev = await openDev(context)
  if (dev === undefined) {
    context.print({ removed: false }, () => 'No demo found here.')
    return
  }
  const skein = connectTo(dev)
  const place = await findDemoPlace(skein, dev.folder)
  const killed = place === undefined ? [] : await killAgents(skein, place)
  const isOwnDev = (await readDemoMark(dev.folder))?.pid === dev.pid
  const isShared = await isUsedOtherwise(skein, place)
  if (place !== undefined && (!isOwnDev || isShared)) await removePlace(skein, place)
  if (isOwnDev) await stopDev(dev)
  if (isOwnDev && !isShared) await removeData(dev, place)
  context.print(
    {
      removed: place !== undefined || isOwnDev,
      killed,
      isDevStopped: isOwnDev,
      isDataKept: !isOwnDev || isShared,
    },
    () => describeEnd({ hasDemo: place !== undefined, isOwnDev, isShared, folder: dev.folder }),
  )
}

/** Restarts one that has stopped: only it knows what else is in the folder. */
async function openDev(context: CommandContext): Promise<FolderProfile | undefined> {
  const { env } = context.io
  const found = await findDev({ env, name: context.profileName, cwd: process.cwd() })
  if ('running' in found) return found.running
  if ((await readDemoMark(found.startIn)) === undefined) return undefined
  context.note('Starting skein dev once more, to check what else it contains.')
  return startDev(found.startIn, env)
}

/** Kills the agents the demo spawned, with their children. */
async function killAgents(skein: Skein, place: DemoPlace): Promise<string[]> {
  const roots = new Set((await listDemoAgents(skein, place)).map(nameOf))
  const killed: string[] = []
  for await (const entry of skein.fleet({ workspace: place.workspace })) {
    if (!roots.has(nameOf(entry))) continue
    const agent = skein.agent(entry.agentId)
    await agent.kill()
    killed.push(agent.name)
  }
  return killed
}

/** Whether there is anything that neither the demo nor `skein dev` created. */
async function isUsedOtherwise(skein: Skein, place: DemoPlace | undefined): Promise<boolean> {
  const roots = new Set(place && (await listDemoAgents(skein, place)).map(nameOf))
  for await (const entry of skein.fleet({ account: '*', includeTerminal: true })) {
    if (entry.agentId.workspace !== place?.workspace || !roots.has(nameOf(entry))) return true
  }
  const ours = new Set([SAMPLE_WORKSPACE, place?.workspace])
  for (const kind of PERSONAL_KINDS) {
    for await (const { name, isBuiltIn } of skein.catalog.list(kind)) {
      if (!isBuiltIn && !(kind === 'workspace' && ours.has(name))) return true
    }
  }
  return false
}

async function removePlace(skein: Skein, { workspace, repository }: DemoPlace): Promise<void> {
  // If somebody spawned their own agents there, the workspace stays.
  for await (const _ of skein.fleet({ account: '*', workspace })) return
  await skein.catalog.delete('workspace', workspace)
  await rm(repository, { recursive: true, force: true })
}

async function stopDev({ folder, pid }: FolderProfile): Promise<void> {
  process.kill(pid, 'SIGTERM')
  await new DataDir(folder).untilStopped()
  await removeDemoMark(folder)
}

async function removeData({ folder }: FolderProfile, place: DemoPlace | undefined): Promise<void> {
  if (place !== undefined) await rm(place.repository, { recursive: true, force: true })
  await new DataDir(folder).remove()
}

function describeEnd(end: {
  readonly hasDemo: boolean
  readonly isOwnDev: boolean
  readonly isShared: boolean
  readonly folder: string
}): string {
  if (!end.isOwnDev) return end.hasDemo ? 'Removed the demo. skein dev keeps running.' : 'No demo found here.'
  if (!end.isShared) return 'Removed the demo and stopped the skein dev it had started.'
  return (
    'Removed the demo and stopped the skein dev it had started. ' +
    `Everything else is kept in ${end.folder}; skein dev starts it again.`
  )
}
