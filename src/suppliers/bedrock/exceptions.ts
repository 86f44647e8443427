import { asObject, asText, tryParseJson } from '../../wire/json-values.ts'
import { MAX_MESSAGE_BYTES, readText } from '../../wire/read-text.ts'

/** What one of AWS's exceptions is in the messages format, and the status that says the same. */
export interface Exception {
  readonly status: number
  readonly type: string
  readonly code?: string
}

const UNKNOWN: Exception = { status: 500, type: 'api_error' }
const BAD_KEY: Exception = { status: 403, type: 'authentication_error' }
// Said of models, guardrails and resources that a good key may not use.
const DENIED: Exception = { status: 403, type: 'permission_error' }
const NO_MODEL: Exception = { status: 404, type: 'not_found_error', code: 'model_not_found' }

/** By the name in lower case: errors and events of one stream do not agree on capitals. */
const EXCEPTIONS: ReadonlyMap<string, Exception> = new Map([
  ['throttlingexception', { status: 429, type: 'rate_limit_error' }],
  ['servicequotaexceededexception', { status: 429, type: 'rate_limit_error' }],
  ['modelnotreadyexception', { status: 503, type: 'overloaded_error' }],
  ['serviceunavailableexception', { status: 503, type: 'overloaded_error' }],
  ['modeltimeoutexception', { status: 504, type: 'timeout_error' }],
  ['validationexception', { status: 400, type: 'invalid_request_error' }],
  ['resourcenotfoundexception', NO_MODEL],
  ['accessdeniedexception', DENIED],
  ['expiredtokenexception', BAD_KEY],
  ['unrecognizedclientexception', BAD_KEY],
  ['invalidsignatureexception', BAD_KEY],
  ['incompletesignatureexception', BAD_KEY],
  ['missingauthenticationtokenexception', BAD_KEY],
  ['modelerrorexception', UNKNOWN],
  ['modelstreamerrorexception', UNKNOWN],
  ['internalserverexception', UNKNOWN],
])

// A key without access to one model is still valid; the requested model is our configuration.
const ABOUT_MODEL =
  /access to the model|not authorized to perform|model identifier is invalid|inference profile|on-demand throughput/i

/** null when the name is none of Bedrock's. */
export function exceptionOf(name: string, message: string): Exception | null {
  const known = EXCEPTIONS.get(name.toLowerCase()) ?? null
  const mayBeAboutModel = known === BAD_KEY || known === DENIED || known?.status === 400
  return mayBeAboutModel && ABOUT_MODEL.test(message) ? NO_MODEL : known
}

export function messagesError({ type, code }: Omit<Exception, 'status'>, message: string): object {
  return { type: 'error', error: { type, ...(code !== undefined && { code }), message } }
}

/** A refusal as the messages format has it: AWS puts its kind into a header and only a sentence into the body. */
export async function readRefusal(response: Response, secrets: readonly string[]): Promise<Response> {
  const { status, headers } = response
  const text = (await readText(response, MAX_MESSAGE_BYTES)) ?? ''
  const message = withoutSecrets(readMessage(text), secrets)
  const exception = exceptionOf(nameOf(headers), message) ?? { status, type: 'api_error' }
  const retryAfter = headers.get('retry-after')
  return Response.json(messagesError(exception, message), {
    status: exception.status,
    ...(retryAfter !== null && { headers: { 'retry-after': retryAfter } }),
  })
}

// `ValidationException:http://internal.amazon.com/coral/…`, or a name space and `#` before it.
function nameOf(headers: Headers): string {
  const [name = ''] = (headers.get('x-amzn-errortype') ?? '').split(':')
  return name.slice(name.lastIndexOf('#') + 1)
}

function readMessage(text: string): string {
  const body = asObject(tryParseJson(text))
  if (body === null) return text
  return asText(body.message) ?? asText(body.Message) ?? asText(asObject(body.error)?.message) ?? text
}

// A refused signature is explained with the whole request in it, session token and all; an ARN holds our account id.
function withoutSecrets(message: string, secrets: readonly string[]): string {
  let cleaned = message.replace(/\barn:aws[^\s"',]*/g, '[removed]')
  for (const secret of secrets) cleaned = cleaned.replaceAll(secret, '[removed]')
  return cleaned
}
