import { stringify } from 'yaml'
import { parseScript } from './parse-script.ts'
import type { Script, SimulatorStep } from './script.ts'

/** From a fence of three or more backticks with `simulate` to one at least as long. */
const BLOCK = /^[ \t]*(?<fence>`{3,})simulate[ \t]*\r?\n(?<yaml>[^]*?)^[ \t]*\k<fence>`*[ \t\r]*$/gmu

/** Formats steps for a prompt, so that the simulator plays them. */
export function inlineScript(steps: readonly SimulatorStep[]): string {
  const yaml = stringify(steps, { lineWidth: 0 })
  // A step may contain a prompt for a child, with a script of its own.
  const longest = Math.max(2, ...[...yaml.matchAll(/`+/gu)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}simulate\n${yaml}${fence}`
}

/** The last script in a text: if messages were joined into one prompt, the newest comes last. */
export function findInlineScript(text: string): Script | undefined {
  const yaml = [...text.matchAll(BLOCK)].at(-1)?.groups?.['yaml']
  return yaml === undefined ? undefined : parseScript(yaml, 'in the prompt')
}

export function withoutInlineScripts(text: string): string {
  return text.replaceAll(BLOCK, '').trim()
}
