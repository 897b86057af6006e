import { isLabelName, isName, MAX_NAME_LENGTH } from '@skein/contract/facts'
import type { FieldViolations } from '../../ui/field-violations.ts'
import { readDollars, type SpawnForm } from './spawn-form.ts'

/** Local validation, with the service's field names. */
export function checkSpawnForm(form: SpawnForm): FieldViolations {
  const problems: Record<string, string> = {}
  if (form.description.trim() === '') problems['description'] = 'Describe the task.'
  if (form.name.trim() !== '' && !isName(form.name.trim()))
    problems['agentId.agent'] = `Use a-z, 0-9 and -, at most ${MAX_NAME_LENGTH} characters.`
  if (form.maxCost.trim() !== '' && readDollars(form.maxCost) === undefined)
    problems['maxCost'] = 'Enter an amount such as 2.50.'
  const schemaProblem = checkOutputSchema(form.outputSchema)
  if (schemaProblem !== undefined) problems['outputSchema'] = schemaProblem
  const labelProblem = checkLabels(form)
  if (labelProblem !== undefined) problems['labels'] = labelProblem
  return problems
}

/** Why a text is not a valid output schema; undefined if it is, or if it is empty. */
export function checkOutputSchema(text: string): string | undefined {
  if (text.trim() === '') return undefined
  try {
    const schema: unknown = JSON.parse(text)
    return typeof schema === 'object' && schema !== null && !Array.isArray(schema)
      ? undefined
      : 'A schema must be a JSON object, such as {"type": "object"}.'
  } catch (error) {
    return `Not valid JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

function checkLabels({ labels }: SpawnForm): string | undefined {
  const names = labels.map(({ name }) => name.trim()).filter((name) => name !== '')
  const wrong = names.find((name) => !isLabelName(name))
  if (wrong !== undefined) return `${wrong} is not a valid label: use a-z, 0-9, dots, slashes and dashes.`
  if (new Set(names).size < names.length) return 'Two labels have the same name.'
  const isNameless = labels.some(({ name, value }) => name.trim() === '' && value !== '')
  return isNameless ? 'A label has a value but no name.' : undefined
}
