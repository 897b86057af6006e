import type { Options } from '@anthropic-ai/claude-agent-sdk'
import type { ProgramSetup, ToolServer } from '../backend.ts'
import { buildEnvironment, toolTokenVariable } from './program-environment.ts'

/** As the catalog names the backend. */
export const BACKEND_NAME = 'a'

export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const

/** What works on code. What asks people, plans for later or starts agents is the service's own business. */
const TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'Glob', 'Grep', 'NotebookEdit']

export function buildOptions(setup: ProgramSetup, program: string): Options {
  const effort = EFFORTS.find((known) => known === setup.effort)
  return {
    pathToClaudeCodeExecutable: program,
    cwd: setup.workDir,
    env: buildEnvironment(setup),
    model: setup.model,
    ...(effort && { effort }),
    systemPrompt: {
      type: 'preset',
      preset: 'claude_code',
      append: setup.instructions,
      excludeDynamicSections: true,
      // A recorded prompt would hide that the instructions have changed since the session began.
      snapshot: false,
    },
    // A repository's settings run commands and redirect the model: nothing is read from it.
    settingSources: [],
    strictMcpConfig: true,
    settings: { attribution: { commit: '', pr: '' }, ...(setup.fastMode && { fastMode: true }) },
    // Prompts come from people whose files `@path` must not read, nor `/command` do anything.
    verbatimPrompts: true,
    // Without a title the model would be asked for one.
    title: 'Skein',
    tools: TOOLS,
    mcpServers: Object.fromEntries(setup.tools.map((tools, index) => [tools.name, describe(tools, index)])),
    // The sandbox is the gate. The mode that asks nothing at all is refused to root.
    permissionMode: 'default',
    canUseTool: async (_tool, input) => ({ behavior: 'allow', updatedInput: input }),
    // Signs of life while a long answer is being written.
    includePartialMessages: true,
    ...(setup.outputSchema && { outputFormat: { type: 'json_schema', schema: { ...setup.outputSchema } } }),
    ...(setup.session && { resume: setup.session.id }),
  }
}

function describe({ url }: ToolServer, index: number): NonNullable<Options['mcpServers']>[string] {
  return {
    type: 'http',
    url,
    headers: { Authorization: `Bearer \${${toolTokenVariable(index)}}` },
    // Without it the tools would be hidden behind a search.
    alwaysLoad: true,
  }
}
