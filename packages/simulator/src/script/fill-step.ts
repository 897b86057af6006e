import type { Entry } from '../conversation.ts'
import { fillObject, fillTemplate, fillText, type TemplateValues } from './fill-template.ts'
import type { Answer } from '../protocol.ts'
import { ScriptError } from './script-place.ts'
import type { Call, Step } from './script.ts'

/** A step's text and calls, with placeholders filled in. */
export function fillStep(step: Step, values: TemplateValues): Partial<Answer> {
  const { failure, usage, chunkMs, chunks } = step
  return {
    say: fillText(step.say, values),
    think: fillText(step.think, values),
    calls: step.calls.flatMap((call) => fillCall(call, values)),
    output: step.output && { value: fillTemplate(step.output.value, values) },
    failure,
    usage,
    chunkMs,
    chunks,
  }
}

function fillCall(call: Call, values: TemplateValues): readonly Call[] {
  switch (call.kind) {
    case 'shell':
      return [{ ...call, command: fillText(call.command, values) }]
    case 'write':
      return [{ ...call, path: fillText(call.path, values), text: fillText(call.text, values) }]
    case 'tool':
      return itemsOf(call.each, values).map((item) => ({
        ...call,
        input: fillObject(call.input, { ...values, item }),
      }))
  }
}

function itemsOf(each: string | undefined, values: TemplateValues): readonly unknown[] {
  if (each === undefined) return [undefined]
  const items = fillTemplate(each, values)
  if (Array.isArray(items)) return items
  throw new ScriptError(`"each" must refer to a list, not to: ${JSON.stringify(items)}`)
}

export function readValues(entries: readonly Entry[], prompt: string): TemplateValues {
  const results = entries.filter((entry) => entry.kind === 'result')
  return {
    prompt,
    // Some programs strip the trailing line break of an output, some don't.
    result: results.at(-1)?.text.trimEnd() ?? '',
    results: Object.fromEntries(results.map(({ tool, text }) => [tool, text.trimEnd()])),
  }
}
