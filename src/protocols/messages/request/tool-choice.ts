import Type, { type Static } from 'typebox'
import type { Conversation } from '../../../conversation/conversation.ts'
import type { ToolChoice } from '../../../conversation/tool.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { optionalOrNull } from '../../parameter-table.ts'

const parallel = { disable_parallel_tool_use: optionalOrNull(Type.Boolean()) }
export const ToolChoiceSchema = Type.Union([
  Type.Object({ type: Type.Literal('auto'), ...parallel }),
  Type.Object({ type: Type.Literal('any'), ...parallel }),
  Type.Object({ type: Type.Literal('tool'), name: Type.String({ minLength: 1 }), ...parallel }),
  Type.Object({ type: Type.Literal('none') }),
])

type MessagesToolChoice = Static<typeof ToolChoiceSchema>

export function decodeToolChoice(wire: MessagesToolChoice | null | undefined): ToolChoice | null {
  switch (wire?.type) {
    case undefined:
      return null
    case 'auto':
      return { type: 'auto' }
    case 'any':
      return { type: 'required' }
    case 'tool':
      return { type: 'named', name: wire.name, namespace: null }
    case 'none':
      return { type: 'none' }
  }
}

export function decodeParallelTools(wire: MessagesToolChoice | null | undefined): boolean | null {
  if (!wire || wire.type === 'none') return null
  return typeof wire.disable_parallel_tool_use === 'boolean' ? !wire.disable_parallel_tool_use : null
}

/** The offered tools and the `tool_choice` member; null when there are no tools. */
export interface EncodedChoice {
  readonly tools: readonly JsonObject[]
  readonly toolChoice: JsonObject | null
}

export function encodeToolChoice(
  { toolChoice, parallelTools }: Pick<Conversation, 'toolChoice' | 'parallelTools'>,
  tools: readonly JsonObject[],
): EncodedChoice {
  if (tools.length === 0) return { tools, toolChoice: null }
  const offered = toolChoice?.type === 'allowed' ? pickAllowed(toolChoice.names, tools) : tools
  const mode = encodeMode(toolChoice, offered)
  // `disable_parallel_tool_use` needs a choice other than `none`.
  if (parallelTools !== false || mode?.type === 'none') return { tools: offered, toolChoice: mode }
  return { tools: offered, toolChoice: { ...(mode ?? { type: 'auto' }), disable_parallel_tool_use: true } }
}

function pickAllowed(names: readonly string[], tools: readonly JsonObject[]): readonly JsonObject[] {
  const wanted = new Set(names)
  const allowed = tools.filter(({ name }) => typeof name === 'string' && wanted.has(name))
  if (allowed.length > 0) return allowed
  throw new GatewayError('invalid_request', 'tool_choice allows only tools that are not in tools.', {
    param: 'tool_choice',
  })
}

function encodeMode(choice: ToolChoice | null, tools: readonly JsonObject[]): JsonObject | null {
  switch (choice?.type) {
    case undefined:
      return null
    case 'auto':
    case 'none':
      return { type: choice.type }
    case 'required':
      return { type: 'any' }
    case 'named':
      return { type: 'tool', name: findOffered(choice.name, tools) }
    case 'allowed':
      return { type: choice.isRequired ? 'any' : 'auto' }
  }
}

function findOffered(name: string, tools: readonly JsonObject[]): string {
  if (tools.some((tool) => tool.name === name)) return name
  throw new GatewayError('invalid_request', 'tool_choice names a tool that is not in tools.', {
    param: 'tool_choice',
  })
}
