import type { AgentStatus, Task } from '@skein/client'
import { MAX_NAME_LENGTH } from '@skein/contract/facts'
import { isOpen } from '../../agent/task-states.ts'
import { EMPTY_FORM, type SpawnForm } from './spawn-form.ts'

/** The form for the same task again, with its open checklist items. The persona's tasks come with the persona. */
export function toCopyForm(status: AgentStatus, name: string): SpawnForm {
  return {
    ...EMPTY_FORM,
    workspace: status.agentId.workspace,
    name,
    description: status.description,
    expectedOutput: status.expectedOutput,
    persona: status.persona,
    model: status.model,
    reasoningEffort: status.reasoningEffort,
    serviceTier: status.serviceTier,
    fastMode: status.fastMode ? 'on' : '',
    outputSchema: status.outputSchema,
    tasks: status.tasks.filter(isCopied).map((task) => ({
      key: task.id,
      subject: task.subject,
      copied: {
        id: task.id,
        description: task.description,
        activation: task.activation,
        blockedBy: task.blockedBy,
      },
    })),
    maxCost: status.maxCost === 0 ? '' : String(status.maxCost),
    labels: Object.entries(status.labels).map(([label, value]) => ({ key: label, name: label, value })),
  }
}

function isCopied(task: Task): boolean {
  return isOpen(task) && task.persona === '' && !task.ephemeral
}

/** `fix`, `fix-2`, `fix-3`: continues an existing number. */
export function numberName(name: string, count: number): string {
  const [, base = name, number = '1'] = /^(.+?)-(\d{1,4})$/.exec(name) ?? []
  const suffix = `-${Number(number) + count}`
  return `${base.slice(0, MAX_NAME_LENGTH - suffix.length).replace(/-+$/, '')}${suffix}`
}
