import type { Task } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { withExample } from '../examples.ts'
import { collect } from '../repeated.ts'
import { taskLines } from '../output/task-lines.ts'

interface TasksOptions {
  readonly add?: readonly string[]
  readonly start?: readonly string[]
  readonly done?: readonly string[]
  readonly delete?: readonly string[]
}

export function registerTasks(program: Command, context: CommandContext): void {
  const command = program
    .command('tasks')
    .summary('show or change an agent’s checklist')
    .argument('<agent>', 'workspace/agent/child')
    .option('--add <subject>', 'add a task; these options may be repeated', collect)
    .option('--start <id>', 'mark a task as in progress', collect)
    .option('--done <id>', 'mark a task as completed', collect)
    .option('--delete <id>', 'delete a task', collect)
  withExample(command, 'skein tasks shop/release --add "Update the changelog"').action(
    async (name: string, options: TasksOptions) => {
      const agent = await context.agent(name)
      if (options.add) await agent.createTasks(options.add.map((subject) => ({ subject })))
      const updates = [
        ...updatesOf(options.start, 'TASK_STATUS_IN_PROGRESS'),
        ...updatesOf(options.done, 'TASK_STATUS_COMPLETED'),
        ...updatesOf(options.delete, 'TASK_STATUS_DELETED'),
      ]
      if (updates.length > 0) await agent.updateTasks(updates)
      const { tasks, openTaskIds } = await agent.tasks()
      context.print({ agent: agent.name, tasks, openTaskIds }, () =>
        tasks.length === 0 ? 'The checklist is empty.' : taskLines(context.io, tasks).join('\n'),
      )
    },
  )
}

function updatesOf<Status extends Task['status']>(ids: readonly string[] | undefined, status: Status) {
  return (ids ?? []).map((id) => ({ id, status }))
}
