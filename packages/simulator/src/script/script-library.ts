import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ScriptLibrary } from './choose-step.ts'
import { parseScript } from './parse-script.ts'
import { ScriptError } from './script-place.ts'
import type { Script } from './script.ts'

const BUILT_IN = fileURLToPath(new URL('../../scripts/', import.meta.url))

/** The scripts in these folders, followed by the built-in ones. A script without `when` is the fallback. */
export async function loadScripts(folders: readonly string[]): Promise<ScriptLibrary> {
  const scripts = (await Promise.all([...folders, BUILT_IN].map(loadFolder))).flat()
  const fallback = scripts.find(({ when }) => when === undefined)
  if (!fallback) throw new ScriptError('No script matches every prompt: one without "when" is required')
  return { scripts: scripts.filter(({ when }) => when !== undefined), fallback }
}

async function loadFolder(folder: string): Promise<Script[]> {
  const files = (await readdir(folder)).filter((file) => /\.ya?ml$/u.test(file)).sort()
  return Promise.all(
    files.map(async (file) => parseScript(await readFile(join(folder, file), 'utf8'), join(folder, file))),
  )
}
