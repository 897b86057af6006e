/** What both protocols' requests come down to. */
export type Entry =
  /** Something that a person, or the program on their behalf, told the model. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'answer' }
  | {
      readonly kind: 'result'
      readonly callId: string
      /** Which tool it is of, without its server. */
      readonly tool: string
      readonly text: string
    }

/** The name by which scripts know a tool. */
export function bareToolName(name: string): string {
  return /^mcp__.+?__(.+)$/u.exec(name)?.[1] ?? name
}

/** Texts that the programs put in by themselves, where a person's own stand. */
const REMINDERS = [
  /<(?<tag>system-reminder|environment_context|user_instructions|turn_aborted|skills?_instructions|skill|user_shell_command)>[^]*?<\/\k<tag>>/gu,
  /^\[structured-output-enforce\][^\n]*$/gmu,
  /^\[Request interrupted by user(?: for tool use)?\]$/gmu,
]

/** What a person wrote in this text; empty when the program wrote it. */
export function promptIn(text: string): string {
  return REMINDERS.reduce((rest, pattern) => rest.replaceAll(pattern, ''), text).trim()
}
