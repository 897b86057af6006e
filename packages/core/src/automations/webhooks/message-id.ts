/** The same for every attempt and every replay of an event, so that a receiver can recognise one it already has. */
export function messageId(agentId: string, sequence: bigint): string {
  return `msg_${agentId.replaceAll('-', '')}_${sequence}`
}
