import type { Firing, ScheduleEntry, ScheduleStatus } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import type { Io } from '../../io.ts'
import { shorten } from '../../output/clean-text.ts'
import { readAll } from '../../read-all.ts'
import { formatTable } from '../../output/table.ts'
import { readLog } from './read-log.ts'
import { registerList } from './register-list.ts'

export function registerSchedules(program: Command, context: CommandContext): void {
  const schedules = program
    .command('schedules')
    .summary('start agents at certain times')
    .description(
      'Create a schedule with skein apply. These commands show when it fires and with which outcome.',
    )
  registerList(schedules, context, {
    summary: 'list schedules with their last and next firing',
    field: 'schedules',
    read: (skein) => readAll(skein.schedules.list()),
    none: 'No schedules.',
    format: (entries) => formatList(context.io, entries),
  })
  for (const register of [registerShow, registerLog, registerRun, registerPause, registerResume])
    register(schedules, context)
}

function formatList(io: Io, schedules: readonly ScheduleEntry[]): string {
  return formatTable([
    ['SCHEDULE', 'WHEN', 'NEXT', 'LAST', 'OUTCOME'].map((title) => io.paint('dim', title)),
    ...schedules.map(({ name, paused, nextTime, last: [last], ...times }) => [
      name,
      whenOf(times),
      paused ? io.paint('yellow', 'paused') : nextTime || 'never',
      last?.dueTime ?? '-',
      last ? paintOutcome(io, last) : '-',
    ]),
  ])
}

function whenOf({ cron, every, timeZone }: Pick<ScheduleEntry, 'cron' | 'every' | 'timeZone'>): string {
  return cron === '' ? `every ${every}` : `${cron} ${timeZone}`
}

function paintOutcome(io: Io, { outcome }: Firing): string {
  const text = outcome.toLowerCase()
  if (outcome === 'FAILED') return io.paint('red', text)
  return outcome === 'SKIPPED' || outcome === 'MISSED' ? io.paint('yellow', text) : text
}

/** A command about one schedule. */
function aboutSchedule(schedules: Command, name: string, summary: string): Command {
  const command = schedules.command(name).summary(summary).argument('<name>', 'the name of the schedule')
  return withExample(command, `skein schedules ${name} nightly-deps`)
}

function registerShow(schedules: Command, context: CommandContext): void {
  aboutSchedule(schedules, 'show', 'show a schedule and its next ten firings').action(
    async (name: string) => {
      const schedule = await (await context.skein()).schedules.get(name)
      context.print(schedule, () => formatSchedule(context.io, schedule))
    },
  )
}

function formatSchedule(io: Io, { nextFirings, ...schedule }: ScheduleStatus): string {
  const lines = [formatList(io, [schedule])]
  if (schedule.description !== '') lines.push(shorten(schedule.description, 200))
  if (nextFirings.length > 0) {
    lines.push(
      [
        'Next firings:',
        ...nextFirings.map(({ dueTime, startTime }) =>
          startTime === dueTime ? `  ${dueTime}` : `  ${dueTime}, starts ${startTime}`,
        ),
      ].join('\n'),
    )
  }
  return lines.join('\n\n')
}

function registerLog(schedules: Command, context: CommandContext): void {
  aboutSchedule(schedules, 'log', 'show its firings and their outcomes, newest first')
    .option('--limit <count>', 'how many', '20')
    .action(async (name: string, { limit }: { readonly limit: string }) => {
      const skein = await context.skein()
      const firings = await readLog(limit, (options) => skein.schedules.firings(name, options))
      context.print({ firings }, () =>
        firings.length === 0 ? 'It has not fired in the last 30 days.' : formatLog(context.io, firings),
      )
    })
}

function formatLog(io: Io, firings: readonly Firing[]): string {
  return formatTable([
    ['DUE', 'OUTCOME', 'STARTED', 'AGENT', 'DETAIL'].map((title) => io.paint('dim', title)),
    ...firings.map((firing) => [
      firing.isManual ? `${firing.dueTime} by hand` : firing.dueTime,
      paintOutcome(io, firing),
      firing.startTime || '-',
      firing.agent === '' ? '-' : `${firing.workspace}/${firing.agent}`,
      shorten(firing.detail, 100),
    ]),
  ])
}

function registerRun(schedules: Command, context: CommandContext): void {
  aboutSchedule(schedules, 'run', 'run a schedule now, even if it is paused').action(async (name: string) => {
    const dueTime = await (await context.skein()).schedules.run(name)
    context.print(
      { schedule: name, dueTime },
      () => `Due now. See the outcome with: skein schedules log ${name}`,
    )
  })
}

function registerPause(schedules: Command, context: CommandContext): void {
  aboutSchedule(schedules, 'pause', 'stop a schedule from firing').action(async (name: string) => {
    await (await context.skein()).schedules.pause(name)
    context.print({ schedule: name, paused: true }, () => `Paused ${name}.`)
  })
}

function registerResume(schedules: Command, context: CommandContext): void {
  const summary = 'let a paused schedule fire again, without catching up'
  aboutSchedule(schedules, 'resume', summary).action(async (name: string) => {
    const skein = await context.skein()
    await skein.schedules.resume(name)
    const { nextTime } = await skein.schedules.get(name)
    context.print(
      { schedule: name, paused: false, nextTime },
      () => `Resumed ${name}. Next: ${nextTime || 'never'}.`,
    )
  })
}
