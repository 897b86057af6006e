import { Command } from 'commander'
import { CommandContext } from './command-context.ts'
import { registerApply } from '../commands/catalog/apply.ts'
import { registerAudit } from '../commands/access/audit.ts'
import { registerBudget } from '../commands/agents/budget.ts'
import { registerComplete } from '../commands/complete.ts'
import { registerCompletion } from '../commands/completion.ts'
import { registerDelete } from '../commands/catalog/delete.ts'
import { registerDemo } from '../commands/demo.ts'
import { registerDev } from '../commands/dev.ts'
import { registerDiff } from '../commands/agents/diff.ts'
import { registerDoctor } from '../commands/doctor.ts'
import { registerEdit } from '../commands/catalog/edit.ts'
import { registerGet } from '../commands/catalog/get.ts'
import { registerHistory } from '../commands/catalog/history.ts'
import { registerKill } from '../commands/agents/kill.ts'
import { registerLogin } from '../commands/access/login.ts'
import { registerLogout } from '../commands/access/logout.ts'
import { registerLogs } from '../commands/agents/logs.ts'
import { registerMcp } from '../commands/mcp.ts'
import { registerOpen } from '../commands/open.ts'
import { registerPr } from '../commands/agents/pr.ts'
import { registerPs } from '../commands/agents/ps.ts'
import { registerQueue } from '../commands/agents/queue.ts'
import { registerRestart } from '../commands/agents/restart.ts'
import { registerCodeHosts } from '../commands/automations/code-hosts.ts'
import { registerTriggers } from '../commands/automations/triggers.ts'
import { registerWebhooks } from '../commands/automations/webhooks.ts'
import { registerRunners } from '../commands/runners.ts'
import { registerSchedules } from '../commands/automations/schedules.ts'
import { registerSend } from '../commands/agents/send.ts'
import { registerInvite } from '../commands/access/invite.ts'
import { registerSessions } from '../commands/access/sessions.ts'
import { registerShare } from '../commands/access/share.ts'
import { registerSpawn } from '../commands/agents/spawn.ts'
import { registerStatus } from '../commands/agents/status.ts'
import { registerStop } from '../commands/agents/stop.ts'
import { registerTasks } from '../commands/agents/tasks.ts'
import { registerTenants } from '../commands/access/tenants.ts'
import { registerToken } from '../commands/access/token.ts'
import { registerUsage } from '../commands/usage.ts'
import { registerWait } from '../commands/agents/wait.ts'
import { registerWhoami } from '../commands/access/whoami.ts'
import type { Io } from '../io.ts'
import { readVersion } from '../version.ts'

type Register = (program: Command, context: CommandContext) => void

/** In the order a newcomer needs them. The reference page uses the same headings. */
const GROUPS: readonly (readonly [string, readonly Register[]])[] = [
  [
    'Start:',
    [registerDemo, registerDev, registerLogin, registerLogout, registerWhoami, registerOpen, registerDoctor],
  ],
  [
    'Agents:',
    [
      registerSpawn,
      registerPs,
      registerStatus,
      registerLogs,
      registerDiff,
      registerPr,
      registerSend,
      registerQueue,
      registerWait,
      registerStop,
      registerKill,
      registerRestart,
      registerTasks,
      registerBudget,
      registerShare,
    ],
  ],
  ['Catalog:', [registerGet, registerApply, registerEdit, registerDelete, registerHistory]],
  ['Automations:', [registerSchedules]],
  [
    'Administration:',
    [
      registerToken,
      registerInvite,
      registerUsage,
      registerRunners,
      registerWebhooks,
      registerTriggers,
      registerCodeHosts,
      registerSessions,
      registerAudit,
      registerTenants,
      registerMcp,
      registerCompletion,
      registerComplete,
    ],
  ],
]

/** Defines all commands without running any: main runs them, and the reference page is generated from them. */
export function createProgram(
  io: Io,
  args: readonly string[] = [],
): { readonly program: Command; readonly context: CommandContext } {
  const program = new Command('skein')
    .description('Spawn, watch and steer long-lived coding agents.')
    .option('--json', 'print JSON, for programs')
    .option(
      '--profile <name>',
      'a stored profile, or the .skein folder of a skein dev; default: SKEIN_PROFILE',
    )
    .version(readVersion(), '--version', 'print the version')
    .showSuggestionAfterError()
    .showHelpAfterError('For usage, add --help.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      // Programs get the error as JSON, from the place that reports all errors.
      writeErr: (text) => {
        if (!context.isJson) io.note(text.trimEnd())
      },
    })
  const context = new CommandContext(program, io, args)
  for (const [heading, registers] of GROUPS) {
    program.commandsGroup(heading)
    for (const register of registers) register(program, context)
  }
  return { program, context }
}
