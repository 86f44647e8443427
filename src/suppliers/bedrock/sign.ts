import { AwsV4Signer } from 'aws4fetch'

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

/** How a caller proves who it is: by signing with a pair of keys, or by showing a key of Bedrock's own. */
export type BedrockSecret =
  | {
      readonly type: 'keys'
      readonly accessKeyId: string
      readonly secretAccessKey: string
      readonly sessionToken: string | null
    }
  | { readonly type: 'bearer'; readonly key: string }

/** `ACCESS_KEY_ID:SECRET_ACCESS_KEY[:SESSION_TOKEN]`, or an API key, in which no colon occurs. */
export function readSecret(secret: string): BedrockSecret {
  const [accessKeyId = '', secretAccessKey, sessionToken = null] = secret.split(':')
  if (secretAccessKey === undefined) return { type: 'bearer', key: secret }
  return { type: 'keys', accessKeyId, secretAccessKey, sessionToken }
}

const ACCESS_KEY_ID = /^[A-Z0-9]{16,128}$/
const FORM =
  'secret must be ACCESS_KEY_ID:SECRET_ACCESS_KEY, with :SESSION_TOKEN after it for temporary keys, or a Bedrock API key.'

export function checkSecret(secret: string): string | null {
  // Every piece of it travels in a header or is signed into one.
  if (!/^[\x21-\x7e]+$/.test(secret)) return FORM
  const [first = '', ...rest] = secret.split(':')
  if (rest.length === 0) {
    return ACCESS_KEY_ID.test(first) ? `secret is only an access key id. ${FORM}` : null
  }
  const isWhole = rest.length <= 2 && !rest.includes('')
  return isWhole && ACCESS_KEY_ID.test(first) ? null : FORM
}

/** Each piece of a secret that must not be seen when it is quoted alone. */
export function piecesOf(secret: BedrockSecret): string[] {
  if (secret.type === 'bearer') return [secret.key]
  const { accessKeyId, secretAccessKey, sessionToken } = secret
  return [secretAccessKey, accessKeyId, ...(sessionToken === null ? [] : [sessionToken])]
}
