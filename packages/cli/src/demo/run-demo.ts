import type { Skein } from '@skein/client'
import type { CommandContext } from '../command-line/command-context.ts'
import { exitCodeOf } from '../exit-codes.ts'
import type { FolderProfile } from '../profile/folder-profile.ts'
import { connectTo } from './connect-to.ts'
import { describeDemo } from './describe-demo.ts'
import { findDev, requireSimulator } from './find-dev.ts'
import { listDemoAgents, makeDemo, requireNoKey, untilShown, type MadeDemo } from './make-demo.ts'
import { startDev } from './start-dev.ts'

/** A busy machine may need more than the usual half minute. Without a runner it would take forever. */
const SHOW_TIMEOUT_MS = 600_000

export async function runDemo(context: CommandContext): Promise<void> {
  const dev = await openDev(context)
  requireSimulator(dev)
  const skein = connectTo(dev)
  await requireNoKey(skein)
  const demo = await makeDemo(skein, dev.folder)
  if (demo.isNew) await showProgress(context, skein, demo)
  else context.note('The demo is already running. To start over, run skein demo --clean first.\n')
  const agents = await listDemoAgents(skein, demo)
  const { url: signInUrl } = await skein.createSignInLink()
  const { workspace, repository } = demo
  const facts = { workspace, agents, dashboardUrl: `${dev.url}/`, signInUrl }
  context.print({ ...facts, repository, isNew: demo.isNew }, () => describeDemo(context.io, facts))
}

async function openDev(context: CommandContext): Promise<FolderProfile> {
  const { env } = context.io
  const found = await findDev({ env, name: context.profileName, cwd: process.cwd() })
  if ('running' in found) return found.running
  context.note('Starting skein dev with the model simulator, in the background.')
  const dev = await startDev(found.startIn, env)
  context.note(`It is up at ${dev.url} and keeps its data in ${dev.folder}.`)
  return dev
}

async function showProgress(context: CommandContext, skein: Skein, demo: MadeDemo): Promise<void> {
  context.note('Six agents are at work. This takes about half a minute.\n')
  const { odd, late } = await untilShown(skein, demo, AbortSignal.timeout(SHOW_TIMEOUT_MS))
  for (const name of odd.map((agent) => `${demo.workspace}/${agent}`)) {
    context.note(`${name} did not behave as expected. See why with: skein logs ${name}`)
  }
  if (late.length > 0) context.note(`Not ready yet: ${late.join(', ')}. See why with: skein doctor`)
  if (odd.length + late.length > 0) context.exitCode = exitCodeOf('fault')
}
