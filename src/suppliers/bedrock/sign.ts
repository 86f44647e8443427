import { AwsV4Signer } from 'aws4fetch'
import type { BedrockSecret } from './secret.ts'

export interface SignedCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface SigningScope {
  readonly keys: BedrockSecret & { type: 'keys' }
  readonly region: string
  readonly service: string
  readonly nowMs: number
}

/** The headers of a POST with AWS's signature (version 4) over all of them, the address and the body. */
export async function sign(call: SignedCall, scope: SigningScope): Promise<Record<string, string>> {
  const { accessKeyId, secretAccessKey, sessionToken } = scope.keys
  const signer = new AwsV4Signer({
    ...call,
    method: 'POST',
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== null && { sessionToken }),
    service: scope.service,
    region: scope.region,
    datetime: new Date(scope.nowMs).toISOString().replace(/[-:]|\.\d{3}/g, ''),
    // The library leaves the content type out by itself, but AWS asks for it to be signed.
    allHeaders: true,
  })
  const { headers } = await signer.sign()
  return Object.fromEntries(headers.entries())
}
