import { PermissionsRequest } from './wire.ts'

/**
 * Answers what the program asks in mid-turn; undefined for what nobody here can answer. Whatever it may do at all is
 * decided by the sandbox around it, so it gets each approval. There is no person to ask anything else.
 */
export function answerRequest(method: string, params: unknown): unknown {
  switch (method) {
    case 'item/commandExecution/requestApproval':
    case 'item/fileChange/requestApproval':
      return { decision: 'accept' }
    case 'execCommandApproval':
    case 'applyPatchApproval':
      return { decision: 'approved' }
    case 'item/permissions/requestApproval':
      return grantPermissions(params)
    case 'mcpServer/elicitation/request':
      return { action: 'decline', content: null, _meta: null }
    case 'item/tool/requestUserInput':
      return { answers: {} }
    default:
      return undefined
  }
}

function grantPermissions(params: unknown): unknown {
  const { success, data } = PermissionsRequest.safeParse(params)
  if (!success) return undefined
  const { network, fileSystem } = data.permissions
  const permissions = { ...(network ? { network } : {}), ...(fileSystem ? { fileSystem } : {}) }
  return { permissions, scope: 'session' }
}
