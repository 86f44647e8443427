import { ERROR_CODES, type ErrorCode } from '../../errors/codes.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { asGatewayError, errorEnvelope } from '../../errors/render-error.ts'
import { editMembers } from '../../wire/edit-members.ts'
import { insertMember } from '../../wire/json-members.ts'
import { asObject, asText, type JsonObject, tryParseJson } from '../../wire/json-values.ts'
import { parseJson } from '../../wire/parse-json.ts'

/** A message of a client. Responses with the same `streamId` are created one after another. */
export type ClientMessage =
  | CreateMessage
  /** Its error is the answer. */
  | { readonly type: 'refused'; readonly streamId: string | null; readonly error: GatewayError }
  /** Its answer is ready. */
  | { readonly type: 'answered'; readonly answer: string }
  | { readonly type: 'ignored' }

export interface CreateMessage {
  readonly type: 'create'
  readonly streamId: string | null
  readonly previousId: string | null
  /** False to store the input only, without calling a model. */
  readonly generates: boolean
  /** The body of the same request over HTTP, with a streamed answer. */
  readonly body: string
}

// Members that belong to the message and not to the request.
const MESSAGE_MEMBERS = ['type', 'stream_id', 'generate', 'stream', 'background']
const MAX_STREAM_ID_LENGTH = 64

export function readMessage(text: string): ClientMessage {
  try {
    const message = asObject(parseJson(text))
    if (message === null) throw invalid('A message must be a JSON object.', 'type')
    return readKnown(message, text)
  } catch (thrown) {
    return { type: 'refused', streamId: null, error: asGatewayError(thrown) }
  }
}

function readKnown(message: JsonObject, text: string): ClientMessage {
  switch (message.type) {
    case 'response.create':
      return readCreate(message, text)
    case 'response.steer':
      return { type: 'answered', answer: refuseSteering(message) }
    case 'response.processed':
      // Some clients report that they have read a response. Nothing depends on it.
      return { type: 'ignored' }
    default: {
      const type = JSON.stringify(asText(message.type)?.slice(0, 100) ?? null)
      throw invalid(`Messages of the type ${type} are not supported; send "response.create".`, 'type')
    }
  }
}

function readCreate(message: JsonObject, text: string): ClientMessage {
  const { stream_id, generate = true } = message
  const isLane = typeof stream_id === 'string' && stream_id !== '' && stream_id.length <= MAX_STREAM_ID_LENGTH
  const streamId = isLane ? stream_id : null
  const refuse = (error: GatewayError) => ({ type: 'refused', streamId, error }) as const
  if (!isLane && stream_id !== undefined && stream_id !== null) {
    return refuse(invalid(`stream_id must have 1 to ${MAX_STREAM_ID_LENGTH} characters.`, 'stream_id'))
  }
  if (typeof generate !== 'boolean') return refuse(invalid('generate must be true or false.', 'generate'))
  if (message.background === true) {
    const reason = 'Responses in the background are not supported over a WebSocket; use HTTP.'
    return refuse(new GatewayError('unsupported_parameter', reason, { param: 'background' }))
  }
  const { text: own } = editMembers(text, { removed: MESSAGE_MEMBERS })
  return {
    type: 'create',
    streamId,
    previousId: asText(message.previous_response_id),
    generates: generate,
    body: insertMember(own, 'stream', 'true'),
  }
}

/** Clients get their input back and send it with the next request. */
function refuseSteering({ previous_response_id, input }: JsonObject): string {
  const message = 'Responses cannot be steered here; send the input with the next response.create.'
  return JSON.stringify({
    type: 'response.steer.failed',
    sequence_number: 0,
    error: { code: 'steering_not_supported', message },
    steer: { previous_response_id: asText(previous_response_id) ?? '', input: input ?? [] },
  })
}

function invalid(message: string, param: string): GatewayError {
  return new GatewayError('invalid_request', message, { param })
}

/** An error as a message. Clients treat it like a response with this status and these headers. */
export function encodeError(error: GatewayError, streamId: string | null): string {
  const told = asKnownToClients(error)
  return addStreamId(
    JSON.stringify({
      type: 'error',
      status: told.status,
      ...errorEnvelope(told),
      ...(Object.keys(told.headers).length > 0 && { headers: told.headers }),
    }),
    streamId,
  )
}

/** Clients send the whole conversation again on this code. */
function asKnownToClients(error: GatewayError): GatewayError {
  const { code, param, message, headers } = error
  if (code !== 'not_found' || param !== 'previous_response_id') return error
  return new GatewayError('previous_response_not_found', message, { param, headers })
}

const TYPE = /^\{\s*"type"\s*:\s*"([a-z_.]+)"/

/** Turns the events of one response into messages. */
export class ResponseMessages {
  /** Whether the last event has come. */
  isOver = false
  hasFailed = false
  readonly #streamId: string | null

  constructor(streamId: string | null) {
    this.#streamId = streamId
  }

  /** The message for the data of an event; null for what is no event, and for events after the last one. */
  push(data: string): string | null {
    if (this.isOver || !data.startsWith('{')) return null
    const type = TYPE.exec(data)?.[1] ?? asText(asObject(tryParseJson(data))?.type)
    this.isOver =
      type === 'response.completed' ||
      type === 'response.incomplete' ||
      type === 'response.failed' ||
      type === 'error'
    this.hasFailed = type === 'response.failed' || type === 'error'
    return addStreamId(type === 'error' ? addStatus(data) : data, this.#streamId)
  }
}

/** Some clients ignore an error without a status and wait for another event. */
function addStatus(data: string): string {
  const event = asObject(tryParseJson(data))
  const code = asText(asObject(event?.error)?.code) ?? asText(event?.code) ?? ''
  const known = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'provider_error'
  return event?.status === undefined ? insertMember(data, 'status', String(ERROR_CODES[known].status)) : data
}

function addStreamId(data: string, streamId: string | null): string {
  return streamId === null ? data : insertMember(data, 'stream_id', JSON.stringify(streamId))
}
