import type { Options } from '@anthropic-ai/claude-agent-sdk'
import type { ProgramSetup, ToolServer } from '../backend.ts'
import { buildEnvironment, toolTokenVariable } from './program-environment.ts'

/** The catalog's name for the backend. */
export const BACKEND_NAME = 'a'

export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const

/** Tools for working on code. Asking people, planning ahead and starting agents are up to the service. */
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
      // A recorded prompt would hide changes of the instructions since the session started.
      snapshot: false,
    },
    // A repository's settings can run commands and redirect the model, so none are read.
    settingSources: [],
    strictMcpConfig: true,
    settings: { attribution: { commit: '', pr: '' }, ...(setup.fastMode && { fastMode: true }) },
    // In prompts, `@path` must not read files and `/command` must not do anything.
    verbatimPrompts: true,
    // Otherwise the model would be asked for a title.
    title: 'Skein',
    tools: TOOLS,
    mcpServers: Object.fromEntries(setup.tools.map((tools, index) => [tools.name, describe(tools, index)])),
    // The sandbox is the boundary. The mode that never asks is not available to root.
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
    // Otherwise the tools would be hidden behind a search.
    alwaysLoad: true,
  }
}
