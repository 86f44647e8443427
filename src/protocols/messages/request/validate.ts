import type { TSchema } from 'typebox'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { SchemaNode } from '../../../validation/describe-schema.ts'
import { findProblem } from '../../../validation/find-problem.ts'
import { compileCheck } from '../../../validation/validation.ts'
import { LateCheck } from '../../../wire/shapes/late-check.ts'
import {
  type AnyBlock,
  type AnyTool,
  asClientTool,
  asKnownBlock,
  ClientToolSchema,
  CountRequestSchema,
  type CountTokensRequest,
  ImageBlockSchema,
  type KnownBlock,
  type MessagesContent,
  type MessagesRequest,
  MessagesRequestSchema,
  RedactedThinkingBlockSchema,
  TextBlockSchema,
  ThinkingBlockSchema,
  ToolResultBlockSchema,
  ToolUseBlockSchema,
} from './schema.ts'

interface Check {
  isSound(value: unknown): boolean
  refuse(value: unknown, path: string): never
}

const checkShape = compileCheck(MessagesRequestSchema)
const checkCountShape = compileCheck(CountRequestSchema)

const BLOCK_CHECKS: Readonly<Record<KnownBlock['type'], Check>> = {
  text: makeCheck(TextBlockSchema),
  image: makeCheck(ImageBlockSchema),
  thinking: makeCheck(ThinkingBlockSchema),
  redacted_thinking: makeCheck(RedactedThinkingBlockSchema),
  tool_use: makeCheck(ToolUseBlockSchema),
  tool_result: makeCheck(ToolResultBlockSchema),
}
const TOOL_CHECK = makeCheck(ClientToolSchema)

/** Checks every known field; throws a GatewayError that names the first invalid one. */
export function validateRequest(body: unknown): MessagesRequest {
  const request = checkShape(body)
  refuseThread(request.thread)
  checkPrompt(request)
  return request
}

/**
 * A thread continues a conversation that the supplier has stored in our account, where another candidate would not find
 * it. Official clients repeat the whole conversation after this error.
 */
function refuseThread(thread: unknown): void {
  if (thread === undefined || thread === null) return
  throw new GatewayError(
    'unsupported_parameter',
    'Message threads are not stored here; send the whole conversation without `thread`.',
    { param: 'thread', facts: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } },
  )
}

export function validateCount(body: unknown): CountTokensRequest {
  const request = checkCountShape(body)
  checkPrompt(request)
  return request
}

/** Checks beyond the schema: blocks and tools of known kinds. Unknown kinds pass. */
function checkPrompt(request: CountTokensRequest): void {
  checkContent(request.system, () => 'system')
  request.messages.forEach(({ content }, index) => {
    checkContent(content, () => `messages[${index}].content`)
  })
  request.tools?.forEach(checkTool)
  checkThinking(request.thinking)
}

// Paths are built only for an error: requests have thousands of blocks, and nearly all are valid.
function checkContent(content: MessagesContent | null | undefined, path: () => string): void {
  if (!Array.isArray(content)) return
  content.forEach((block, index) => {
    checkBlock(block, () => `${path()}[${index}]`)
    if (block.type === 'tool_result') checkResult(block, () => `${path()}[${index}].content`)
  })
}

// Not recursive: results do not nest, and a hostile body could be deeper than the stack.
function checkResult(block: AnyBlock, path: () => string): void {
  const known = asKnownBlock(block)
  if (known?.type !== 'tool_result' || !Array.isArray(known.content)) return
  known.content.forEach((inner, index) => {
    checkBlock(inner, () => `${path()}[${index}]`)
  })
}

function checkBlock(block: AnyBlock, path: () => string): void {
  const known = asKnownBlock(block)
  if (known === null) return
  const check = BLOCK_CHECKS[known.type]
  if (!check.isSound(block)) check.refuse(block, path())
}

function checkTool(tool: AnyTool, index: number): void {
  if (asClientTool(tool) === null || TOOL_CHECK.isSound(tool)) return
  TOOL_CHECK.refuse(tool, `tools[${index}]`)
}

function checkThinking(thinking: CountTokensRequest['thinking']): void {
  if (thinking?.type !== 'enabled' || typeof thinking.budget_tokens === 'number') return
  const param = 'thinking.budget_tokens'
  throw new GatewayError('invalid_request', `${param} is required when thinking.type is "enabled".`, {
    param,
  })
}

function makeCheck(schema: TSchema): Check {
  const check = new LateCheck(schema)
  return {
    isSound: (value) => check.passes(value),
    refuse: (value, path) => {
      const problem = findProblem(schema as SchemaNode, value, path) ?? {
        path,
        complaint: 'does not have the expected shape',
      }
      throw new GatewayError('invalid_request', `${problem.path} ${problem.complaint}.`, {
        param: problem.path,
      })
    },
  }
}
