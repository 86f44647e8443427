import { createHash, createHmac } from 'node:crypto'

/** A request as it came over the wire. */
export interface RawRequest {
  readonly method: string
  /** Path and query, with every escape as it was sent. */
  readonly target: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

export interface AwsAccount {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  readonly region: string
  readonly service: string
  nowMs(): number
}

export interface Complaint {
  readonly type: string
  readonly message: string
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
const SKEW_MS = 5 * 60_000

/** Checks a signature as AWS does: everything is recomputed from what came over the wire. */
export function checkAwsSignature(request: RawRequest, account: AwsAccount): Complaint | null {
  const parts = AUTHORIZATION.exec(request.headers.get('authorization') ?? '')
  if (parts === null)
    return { type: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' }
  const [, accessKeyId, date = '', region, service, signedHeaders = '', signature] = parts
  if (accessKeyId !== account.accessKeyId || readToken(request) !== account.sessionToken)
    return {
      type: 'UnrecognizedClientException',
      message: 'The security token included in the request is invalid.',
    }
  if (region !== account.region || service !== account.service)
    return invalid('Credential should be scoped to a valid region and service.')
  const dateTime = request.headers.get('x-amz-date') ?? ''
  if (!dateTime.startsWith(date) || Math.abs(readDateTime(dateTime) - account.nowMs()) > SKEW_MS)
    return invalid('Signature expired or not yet current.')
  const names = signedHeaders.split(';')
  const unsigned = [...request.headers.keys()].find((name) => mustBeSigned(name) && !names.includes(name))
  if (unsigned !== undefined) return invalid(`Header ${unsigned} must be signed.`)
  const scope = `${date}/${region}/${service}/aws4_request`
  const canonical = canonicalRequest(request, names)
  const stringToSign = ['AWS4-HMAC-SHA256', dateTime, scope, sha256(canonical)].join('\n')
  const key = ['aws4_request', service, region].reduceRight<Buffer>(
    (outer, word) => hmac(outer, word ?? ''),
    hmac(`AWS4${account.secretAccessKey}`, date),
  )
  if (hmac(key, stringToSign).toString('hex') === signature) return null
  // AWS shows what it has signed, headers and all.
  return invalid(
    `The request signature we calculated does not match. The Canonical String should have been '${canonical}'`,
  )
}

function invalid(message: string): Complaint {
  return { type: 'InvalidSignatureException', message }
}

function readToken(request: RawRequest): string | null {
  return request.headers.get('x-amz-security-token') ?? null
}

function readDateTime(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

function mustBeSigned(name: string): boolean {
  return (
    name === 'host' ||
    name === 'content-type' ||
    (name.startsWith('x-amz-') && name !== 'x-amz-content-sha256')
  )
}

function canonicalRequest({ method, target, headers, body }: RawRequest, names: readonly string[]): string {
  const [path = '', query = ''] = target.split('?')
  const values = names.map((name) => `${name}:${(headers.get(name) ?? '').trim().replace(/ +/g, ' ')}\n`)
  return [method, escapeAgain(path), sortQuery(query), values.join(''), names.join(';'), sha256(body)].join(
    '\n',
  )
}

// What was sent is escaped once more, each piece between slashes by itself.
function escapeAgain(path: string): string {
  return path.split('/').map(escapeText).join('/')
}

function sortQuery(query: string): string {
  if (query === '') return ''
  const pairs = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split('=')
    return `${escapeText(decodeURIComponent(name))}=${escapeText(decodeURIComponent(value))}`
  })
  return pairs.sort().join('&')
}

function escapeText(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
