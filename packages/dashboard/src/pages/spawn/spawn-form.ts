import type { SpawnFields, TaskInput } from '@skein/client'

/** A row of a list in the form. The key identifies it while it is edited. */
interface TaskRow {
  readonly key: string
  readonly subject: string
  /** Other fields of a task copied from another agent. */
  readonly copied?: Omit<TaskInput, 'subject'>
}

interface LabelRow {
  readonly key: string
  readonly name: string
  readonly value: string
}

/** The form's raw input. */
export interface SpawnForm {
  readonly workspace: string
  readonly name: string
  readonly description: string
  readonly expectedOutput: string
  readonly persona: string
  readonly model: string
  readonly reasoningEffort: string
  readonly serviceTier: string
  readonly fastMode: '' | 'on' | 'off'
  readonly outputSchema: string
  readonly tasks: readonly TaskRow[]
  readonly maxCost: string
  readonly labels: readonly LabelRow[]
  readonly autoComplete: boolean
}

export const EMPTY_FORM: SpawnForm = {
  workspace: '',
  name: '',
  description: '',
  expectedOutput: '',
  persona: '',
  model: '',
  reasoningEffort: '',
  serviceTier: '',
  fastMode: '',
  outputSchema: '',
  tasks: [],
  maxCost: '',
  labels: [],
  autoComplete: false,
}

/** The request for the form. Empty fields are left out, so that the service decides. */
export function toSpawnFields(form: SpawnForm): SpawnFields {
  const tasks = toTasks(form.tasks)
  const labels = form.labels.filter(({ name }) => name.trim() !== '')
  const maxCost = readDollars(form.maxCost)
  return {
    ...pickSet({ workspace: form.workspace, name: form.name.trim() }),
    description: form.description.trim(),
    ...pickSet({
      expectedOutput: form.expectedOutput.trim(),
      agent: form.persona,
      model: form.model.trim(),
      reasoningEffort: form.reasoningEffort,
      serviceTier: form.serviceTier,
    }),
    ...(form.fastMode !== '' && { fastMode: form.fastMode === 'on' }),
    ...pickSet({ outputSchema: form.outputSchema.trim() }),
    ...(tasks.length > 0 && { tasks }),
    ...(maxCost !== undefined && { maxCost }),
    ...(labels.length > 0 && {
      labels: Object.fromEntries(labels.map(({ name, value }) => [name.trim(), value])),
    }),
    ...(form.autoComplete && { autoComplete: true }),
  }
}

/** Keeps only dependencies on tasks in this list. */
function toTasks(rows: readonly TaskRow[]): readonly TaskInput[] {
  const filled = rows.filter(({ subject }) => subject.trim() !== '')
  const ids = new Set(filled.map(({ copied }) => copied?.id))
  return filled.map(({ subject, copied }) => ({
    ...copied,
    ...(copied?.blockedBy !== undefined && { blockedBy: copied.blockedBy.filter((id) => ids.has(id)) }),
    subject: subject.trim(),
  }))
}

function pickSet<Texts extends Readonly<Record<string, string>>>(texts: Texts): Partial<Texts> {
  const picked: Partial<Texts> = {}
  for (const name in texts) if (texts[name] !== '') picked[name] = texts[name]
  return picked
}

/** Undefined if empty or not an amount. */
export function readDollars(text: string): number | undefined {
  const trimmed = text.trim().replace(/^\$/, '')
  const dollars = trimmed === '' ? Number.NaN : Number(trimmed)
  return Number.isFinite(dollars) && dollars >= 0 ? dollars : undefined
}
