import { promptIn, type Entry } from '../conversation.ts'
import { findInlineScript, withoutInlineScripts } from './inline-script.ts'
import { sceneAt, type Scene, type Script } from './script.ts'

export interface ScriptLibrary {
  /** In the order in which they are tried. */
  readonly scripts: readonly Script[]
  /** For a conversation in which no text asks for another. */
  readonly fallback: Script
}

export interface Choice {
  readonly script: Script
  /** The text that asked for the script. */
  readonly text: string
  /** The same without the script itself, and without what the program added. */
  readonly prompt: string
  /** Answers since that text. */
  readonly answers: number
  readonly scene: Scene
}

/**
 * The newest text that asks for a script decides which; the answers after it, where in it we are. So a conversation
 * finds its place in every simulator, after any restart. A text that asks for none, such as a word to an agent at
 * work, changes nothing.
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
