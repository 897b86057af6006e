export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/**
 * From the usual AWS sources: variables, the shared configuration, or a role of the pod, container or machine.
 * Expiring credentials are renewed. Loaded only if S3 is used.
 */
export function findAwsCredentials(): () => Promise<AwsCredentials> {
  let provider: Promise<() => Promise<AwsCredentials>> | undefined
  return async () => {
    provider ??= import('@aws-sdk/credential-provider-node').then(({ defaultProvider }) => defaultProvider())
    try {
      const { accessKeyId, secretAccessKey, sessionToken } = await (await provider)()
      return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
    } catch (error) {
      throw new Error(
        'No credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this host a role that may use the bucket.',
        { cause: error },
      )
    }
  }
}
