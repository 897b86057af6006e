import {
  claimPort,
  DataDir,
  DevError,
  LocalSkein,
  Progress,
  SAMPLE_WORKSPACE,
  type LocalSkeinParts,
} from '@skein/dev'
import { DEMO_SCRIPTS } from '../demo/demo-files.ts'
import { formatJson } from '../output/clean-text.ts'
import { writeFolderProfile, type DevModel } from '../profile/folder-profile.ts'
import { chooseModel, NO_MODEL, type ModelChoice } from './choose-model.ts'
import { greet } from './greet.ts'
import type { DevIo, DevOptions } from './options.ts'
import { listenForStop } from './stop-requests.ts'

/** Runs a whole Skein on this machine until told to stop. Returns the exit code. */
export async function runDev(options: DevOptions, io: DevIo): Promise<number> {
  // Before anything is started or locked: the question may stay open as long as the user likes.
  const model = options.runner ? await chooseModel(io, options) : NO_MODEL
  const stopRequests = listenForStop(io.env, io.note)
  try {
    return await runUntil(stopRequests.signal, options, io, model)
  } catch (error) {
    if (stopRequests.signal.aborted) return 0
    io.note(error instanceof DevError ? error.message : `Skein did not start: ${describe(error)}`)
    return 1
  } finally {
    stopRequests.ignore()
  }
}

async function runUntil(
  signal: AbortSignal,
  options: DevOptions,
  io: DevIo,
  model: ModelChoice,
): Promise<number> {
  const dataDir = new DataDir(options.dataDir)
  const lock = await dataDir.open()
  try {
    await dataDir.untilNothingIsLeft()
    const port = await claimPort(options.port)
    if (options.fresh) await dataDir.clear()
    const progress = new Progress(io.note)
    const { env } = io
    return await runSkein({ options, io, env, dataDir, port, progress, signal, model, scripts: DEMO_SCRIPTS })
  } finally {
    lock.release()
  }
}

interface Parts extends LocalSkeinParts {
  readonly options: DevOptions
  readonly io: DevIo
  readonly model: ModelChoice
}

async function runSkein(parts: Parts): Promise<number> {
  const { io, options, signal, progress, model, dataDir } = parts
  const skein = new LocalSkein(parts)
  try {
    await skein.start()
    const { baseUrl, apiKey } = skein
    await writeFolderProfile(dataDir.path, {
      url: baseUrl,
      apiKey,
      workspace: SAMPLE_WORKSPACE,
      model: nameOf(options, model),
    })
    io.note(`Skein is up after ${progress.total()}.`)
    io.note(model.notice)
    const signInUrl = await skein.createSignInLink()
    const ready = { baseUrl, apiKey, dashboardUrl: `${baseUrl}/`, signInUrl }
    io.print(options.json ? formatJson(ready) : greet(ready, dataDir))
    const failure = await Promise.race([skein.untilFailure(), untilAborted(signal)])
    if (failure !== undefined) throw failure
    return 0
  } finally {
    await skein.stop()
  }
}

function nameOf({ runner }: DevOptions, { isReal }: ModelChoice): DevModel {
  if (!runner) return 'none'
  return isReal ? 'provider' : 'simulator'
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
