import { asObject, asText, tryParseJson } from '../../wire/json-values.ts'
import { LARGEST_MESSAGE_BYTES, readText } from '../../wire/read-text.ts'
import { exceptionOf, messagesError } from './exceptions.ts'

/** A refusal as the messages format has it: AWS puts its kind into a header and only a sentence into the body. */
export async function readRefusal(response: Response, secrets: readonly string[]): Promise<Response> {
  const { status, headers } = response
  const text = (await readText(response, LARGEST_MESSAGE_BYTES)) ?? ''
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
