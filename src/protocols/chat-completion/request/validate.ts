import type { TSchema } from 'typebox'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { SchemaNode } from '../../../validation/describe-schema.ts'
import { findProblem } from '../../../validation/find-problem.ts'
import { compileCheck } from '../../../validation/validation.ts'
import { LateCheck } from '../../../wire/shapes/late-check.ts'
import {
  type ChatMessage,
  type ChatRequest,
  ChatRequestSchema,
  KNOWN_CALLS,
  KNOWN_PARTS,
  KNOWN_TOOLS,
} from '../schema.ts'

const checkShape = compileCheck(ChatRequestSchema)
const checkParts = compileKinds(KNOWN_PARTS)
const checkCalls = compileKinds(KNOWN_CALLS)
const checkTools = compileKinds(KNOWN_TOOLS)

/** Validates every known field of a body. Throws a GatewayError that names the first invalid one. */
export function validateRequest(body: unknown): ChatRequest {
  const request = checkShape(body)
  const { messages, tools, modalities, logprobs, top_logprobs } = request
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as ChatMessage
    if (Array.isArray(message.content)) checkParts(message.content, contentPath, index)
    if (message.role === 'assistant' && message.tool_calls) checkCalls(message.tool_calls, callsPath, index)
  }
  if (tools) checkTools(tools, toolsPath)
  if (modalities?.some((modality) => modality !== 'text' && modality !== 'audio')) {
    const message = 'modalities may only ask for "text" and "audio".'
    throw new GatewayError('unsupported_parameter', message, { param: 'modalities' })
  }
  if (top_logprobs !== undefined && top_logprobs !== null && logprobs !== true) {
    const message = 'top_logprobs requires logprobs to be true.'
    throw new GatewayError('invalid_request', message, { param: 'top_logprobs' })
  }
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as ChatMessage
    if (message.role === 'assistant' && !message.content) refuseEmptyAnswer(message, index)
  }
  return request
}

const toolsPath = () => 'tools'
const contentPath = (index: number) => `messages[${index}].content`
const callsPath = (index: number) => `messages[${index}].tool_calls`

interface Kinded {
  readonly type: string
}

type CheckKinds = (items: readonly Kinded[], pathOf: (index: number) => string, index?: number) => void

/**
 * Makes a check for items distinguished by `type`. Known types must be valid, unknown ones pass.
 * The path is built only for an error: a long conversation has thousands of parts, and usually all are valid.
 */
function compileKinds(schemas: Readonly<Record<string, TSchema>>): CheckKinds {
  const checks = new Map(Object.entries(schemas).map(([type, schema]) => [type, new LateCheck(schema)]))
  return (items, pathOf, index = 0) => {
    for (let place = 0; place < items.length; place++) {
      const item = items[place]
      if (item === undefined || checks.get(item.type)?.passes(item) !== false) continue
      const itemPath = `${pathOf(index)}[${place}]`
      const problem = findProblem(schemas[item.type] as SchemaNode, item, itemPath)
      const param = problem?.path ?? itemPath
      const complaint = problem?.complaint ?? 'does not have the expected shape'
      throw new GatewayError('invalid_request', `${param} ${complaint}.`, { param })
    }
  }
}

// The official format allows an assistant message without content only if it has other fields.
function refuseEmptyAnswer(message: ChatMessage, index: number): void {
  if (message.content === '') return
  if (Object.entries(message).some(([name, value]) => !ADDS_NOTHING.has(name) && value !== null)) return
  const param = `messages[${index}].content`
  throw new GatewayError('invalid_request', `${param} is required unless the message has tool_calls.`, {
    param,
  })
}

const ADDS_NOTHING: ReadonlySet<string> = new Set(['role', 'name', 'content'])
