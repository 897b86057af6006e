import { isObject, listOf, textOf, type JsonObject } from '../json.ts'
import type { Call } from '../script/script.ts'
import { writeFileCommand } from '../shell.ts'

export type ToolCall =
  | {
      readonly type: 'function_call'
      readonly name: string
      readonly namespace?: string
      readonly arguments: string
    }
  | { readonly type: 'custom_tool_call'; readonly name: string; readonly input: string }

/** The longest Codex waits before it switches a running command to polling. */
const YIELD_MS = 30_000

/** A request's tools and how to call them. Codex names them differently for each model family. */
export class ToolOffer {
  /** Top-level names, and `namespace/name` for the others. */
  readonly #names = new Set<string>()
  /** The newest models have a single tool that runs JavaScript, with all others as functions. */
  readonly #isCodeMode: boolean

  constructor(body: JsonObject) {
    const added = listOf(body['input'])
      .filter(isObject)
      .flatMap((item) => (item['type'] === 'additional_tools' ? listOf(item['tools']) : []))
    for (const tool of [...listOf(body['tools']), ...added].filter(isObject)) this.#add(tool, '')
    this.#isCodeMode = this.#names.has('exec') && !this.#names.has('exec_command')
  }

  #add(tool: JsonObject, namespace: string): void {
    const name = textOf(tool['name'])
    if (tool['type'] === 'namespace') {
      for (const inner of listOf(tool['tools']).filter(isObject)) this.#add(inner, name)
    } else {
      this.#names.add(namespace === '' || namespace === 'functions' ? name : `${namespace}/${name}`)
    }
  }

  toCall(call: Call): ToolCall {
    if (this.#isCodeMode && !this.#isDirect(call)) return script(call)
    switch (call.kind) {
      case 'shell':
        return this.#shell(call.command)
      case 'write':
        if (!this.#names.has('apply_patch') || call.text === '') {
          return this.#shell(writeFileCommand(call.path, call.text))
        }
        return { type: 'custom_tool_call', name: 'apply_patch', input: addFilePatch(call.path, call.text) }
      case 'tool':
        return this.#tool(call.name, call.input)
    }
  }

  /** Even in code mode some tools are called directly. */
  #isDirect(call: Call): boolean {
    return call.kind === 'tool' && this.#names.has(call.name)
  }

  #shell(command: string): ToolCall {
    if (this.#names.has('shell_command')) {
      return functionCall('shell_command', { command, timeout_ms: 600_000 })
    }
    return functionCall('exec_command', { cmd: command, yield_time_ms: YIELD_MS })
  }

  #tool(name: string, input: JsonObject): ToolCall {
    const [, server = 'skein', tool = name] = /^mcp__(.+?)__(.+)$/u.exec(name) ?? []
    const namespace = `mcp__${server}`
    if (this.#names.has(`${namespace}__${tool}`)) return functionCall(`${namespace}__${tool}`, input)
    if (this.#names.has(name)) return functionCall(name, input)
    return { ...functionCall(tool, input), namespace }
  }
}

function functionCall(name: string, input: object): ToolCall & { type: 'function_call' } {
  return { type: 'function_call', name, arguments: JSON.stringify(input) }
}

/** Replaces the file if it exists. */
function addFilePatch(path: string, text: string): string {
  const lines = text.replace(/\n$/u, '').split('\n')
  return [
    '*** Begin Patch',
    `*** Add File: ${path}`,
    ...lines.map((line) => `+${line}`),
    '*** End Patch',
    '',
  ].join('\n')
}

function script(call: Call): ToolCall {
  return { type: 'custom_tool_call', name: 'exec', input: scriptText(call) }
}

function scriptText(call: Call): string {
  switch (call.kind) {
    case 'shell':
      return [
        `let r = await tools.exec_command(${JSON.stringify({ cmd: call.command, yield_time_ms: YIELD_MS })})`,
        'text(r.output)',
        'while (r.session_id !== undefined && r.exit_code === undefined) {',
        `  r = await tools.write_stdin({ session_id: r.session_id, chars: '', yield_time_ms: ${YIELD_MS} })`,
        '  text(r.output)',
        '}',
      ].join('\n')
    case 'write':
      if (call.text === '')
        return scriptText({ kind: 'shell', command: writeFileCommand(call.path, call.text) })
      return `text(await tools.apply_patch(${JSON.stringify(addFilePatch(call.path, call.text))}))`
    case 'tool': {
      const name = call.name.startsWith('mcp__') ? call.name : `mcp__skein__${call.name}`
      return [
        `const r = await tools[${JSON.stringify(name)}](${JSON.stringify(call.input)})`,
        "for (const part of r.content ?? []) if (part.type === 'text') text(part.text)",
      ].join('\n')
    }
  }
}
