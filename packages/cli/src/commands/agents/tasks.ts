import type { Task } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { findTask } from '../../find-task.ts'
import { collect } from '../../command-line/repeated.ts'
import { taskLines } from '../../output/task-lines.ts'

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
    .description(
      'A task is named by its number in the list, by its subject, or by a unique part of the subject.',
    )
    .argument('<agent>', 'workspace/agent/child')
    .option('--add <subject>', 'add a task; these options may be repeated', collect)
    .option('--start <task>', 'mark a task as in progress', collect)
    .option('--done <task>', 'mark a task as completed', collect)
    .option('--delete <task>', 'delete a task', collect)
  withExample(command, 'skein tasks shop/release --done 2 --add "Update the changelog"').action(
    async (name: string, options: TasksOptions) => {
      const agent = await context.agent(name)
      const before = await agent.tasks()
      const updates = [
        ...updatesOf(before.tasks, options.start, 'TASK_STATUS_IN_PROGRESS'),
        ...updatesOf(before.tasks, options.done, 'TASK_STATUS_COMPLETED'),
        ...updatesOf(before.tasks, options.delete, 'TASK_STATUS_DELETED'),
      ]
      if (updates.length > 0) await agent.updateTasks(updates)
      if (options.add) await agent.createTasks(options.add.map((subject) => ({ subject })))
      const { tasks, openTaskIds } = updates.length > 0 || options.add ? await agent.tasks() : before
      context.print({ agent: agent.name, tasks, openTaskIds }, () =>
        tasks.length === 0 ? 'The checklist is empty.' : taskLines(context.io, tasks, openTaskIds).join('\n'),
      )
    },
  )
}

function updatesOf<Status extends Task['status']>(
  tasks: readonly Task[],
  wanted: readonly string[] | undefined,
  status: Status,
) {
  return (wanted ?? []).map((task) => ({ id: findTask(tasks, task).id, status }))
}
