import { PermissionsRequest } from './wire.ts'

/**
 * Answers the program's requests mid-turn; undefined for those nobody here can answer. Everything is approved,
 * because the sandbox decides what the program may do. There is no person to ask anything else.
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
