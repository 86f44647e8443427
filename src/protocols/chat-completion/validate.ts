import { GatewayError } from '../../errors/gateway-error.ts'
import { compileCheck } from '../validation.ts'
import { type ChatMessage, type ChatRequest, ChatRequestSchema } from './schema.ts'

const checkShape = compileCheck(ChatRequestSchema)

/** The body as a request whose every known field is sound; throws a GatewayError that names the first that is not. */
export function validateRequest(body: unknown): ChatRequest {
  const request = checkShape(body)
  refuseOtherModalities(request)
  refuseTopLogprobsAlone(request)
  request.messages.forEach(refuseEmptyAnswer)
  return request
}

function refuseOtherModalities({ modalities }: ChatRequest): void {
  const other = modalities?.find((modality) => modality !== 'text')
  if (other === undefined) return
  throw new GatewayError('unsupported_parameter', 'modalities may only ask for "text".', {
    param: 'modalities',
  })
}

function refuseTopLogprobsAlone({ top_logprobs, logprobs }: ChatRequest): void {
  if (top_logprobs === undefined || top_logprobs === null || logprobs === true) return
  throw new GatewayError('invalid_request', 'top_logprobs requires logprobs to be true.', {
    param: 'top_logprobs',
  })
}

// The official format lets an assistant message go without content only when it carries something else.
function refuseEmptyAnswer(message: ChatMessage, index: number): void {
  if (message.role !== 'assistant' || typeof message.content === 'string' || message.content) return
  if (Object.entries(message).some(([name, value]) => !ADDS_NOTHING.has(name) && value !== null)) return
  const param = `messages[${index}].content`
  throw new GatewayError('invalid_request', `${param} is required unless the message has tool_calls.`, {
    param,
  })
}

const ADDS_NOTHING: ReadonlySet<string> = new Set(['role', 'name', 'content'])
