import type { Task, TaskInput, TaskUpdate } from '@skein/contract'
import { createTasks as decideCreate, newTask, updateTasks as decideUpdate } from '@skein/core'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'
import { commandAgent } from '../commands/agent-command.ts'
import type { AgentTarget } from '../commands/agent-target.ts'
import { newId } from '../new-id.ts'

type TasksOutcome = CommandOutcome<{ tasks: Task[] }>

export async function createTasks(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
  tasks: readonly TaskInput[],
): Promise<TasksOutcome> {
  return commandAgent(engine, context, target, { operation: 'createTasks' }, (view) => {
    const decision = decideCreate(
      tasks.map((task) => newTask(task, newId())),
      view,
    )
    return { ...decision, answer: { tasks: [...decision.answer.tasks] } }
  })
}

export async function updateTasks(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
  updates: readonly TaskUpdate[],
): Promise<TasksOutcome> {
  return commandAgent(engine, context, target, { operation: 'updateTasks' }, (view) => {
    const decision = decideUpdate(updates, view)
    return { ...decision, answer: { tasks: [...decision.answer.tasks] } }
  })
}
