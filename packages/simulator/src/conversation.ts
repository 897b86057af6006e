/** The common form of both protocols' requests. */
export type Entry =
  /** Something a person, or the program on their behalf, told the model. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'answer' }
  | {
      readonly kind: 'result'
      readonly callId: string
      /** The tool it comes from, without its server. */
      readonly tool: string
      readonly text: string
    }

/** The name scripts use for a tool. */
export function bareToolName(name: string): string {
  return /^mcp__.+?__(.+)$/u.exec(name)?.[1] ?? name
}

/** Texts that the programs themselves add in place of a person's. */
const REMINDERS = [
  /<(?<tag>system-reminder|environment_context|user_instructions|turn_aborted|skills?_instructions|skill|user_shell_command)>[^]*?<\/\k<tag>>/gu,
  /^\[structured-output-enforce\][^\n]*$/gmu,
  /^\[Request interrupted by user(?: for tool use)?\]$/gmu,
]

/** The part of this text a person wrote; empty if the program wrote all of it. */
export function promptIn(text: string): string {
  return REMINDERS.reduce((rest, pattern) => rest.replaceAll(pattern, ''), text).trim()
}
