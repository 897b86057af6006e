import { promptIn, type Entry } from '../conversation.ts'
import { findInlineScript, withoutInlineScripts } from './inline-script.ts'
import { sceneAt, type Scene, type Script } from './script.ts'

export interface ScriptLibrary {
  /** In matching order. */
  readonly scripts: readonly Script[]
  /** For conversations where no text asks for a script. */
  readonly fallback: Script
}

export interface Choice {
  readonly script: Script
  /** The text that asked for the script. */
  readonly text: string
  /** Same, without the script and the program's additions. */
  readonly prompt: string
  /** Number of answers since that text. */
  readonly answers: number
  readonly scene: Scene
}

/**
 * The newest text that asks for a script selects it, and the answers since then select the step. So a conversation
 * finds its place in any simulator, even after a restart. Texts that ask for none, such as a message to a working
 * agent, change nothing.
 */
export function chooseStep(entries: readonly Entry[], library: ScriptLibrary): Choice {
  let newest: number | undefined
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index]
    if (entry?.kind !== 'text') continue
    const prompt = promptIn(entry.text)
    const script =
      findInlineScript(entry.text) ?? library.scripts.find(({ when }) => prompt !== '' && when?.test(prompt))
    if (script) return placeIn(script, entries, index)
    if (prompt !== '') newest ??= index
  }
  return placeIn(library.fallback, entries, newest ?? 0)
}

function placeIn(script: Script, entries: readonly Entry[], index: number): Choice {
  const entry = entries[index]
  const text = entry?.kind === 'text' ? entry.text : ''
  const answers = entries.slice(index).filter(({ kind }) => kind === 'answer').length
  return {
    script,
    text,
    prompt: withoutInlineScripts(promptIn(text)),
    answers,
    scene: sceneAt(script, answers),
  }
}
