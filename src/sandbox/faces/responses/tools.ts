import type { Tool, ToolChoice } from '../../performance/ask.ts'
import { Refusal } from '../../refusal.ts'
import type { ResponsesRequest, ResponsesTool } from './schema.ts'

type WireTool = Omit<ResponsesTool, 'tools'>

/** The tools the model may use: the offered ones, or those of them that the choice allows. */
export function decodeTools({ tools, tool_choice: choice }: ResponsesRequest): readonly Tool[] {
  const offered = (tools ?? []).flatMap((tool, index) => decodeTool(tool, index))
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return offered
  const allowed = new Set((choice.tools ?? []).map(({ name }) => name))
  return offered.filter(({ name }) => allowed.has(name))
}

function decodeTool(tool: ResponsesTool, index: number): readonly Tool[] {
  if (tool.type !== 'namespace') return decodeCallable(tool, `tools[${index}]`)
  const namespace = tool.name ?? ''
  return (tool.tools ?? []).flatMap((member, inside) =>
    decodeCallable(member, `tools[${index}].tools[${inside}]`).map((callable) => ({
      ...callable,
      namespace,
    })),
  )
}

// A tool of any other type is one the supplier runs itself; the sandbox runs none.
function decodeCallable(tool: WireTool, field: string): readonly Tool[] {
  if (tool.type !== 'function' && tool.type !== 'custom') return []
  if (tool.name === undefined) {
    throw new Refusal('bad-request', `Missing required parameter: '${field}.name'.`, {
      field: `${field}.name`,
    })
  }
  if (tool.type === 'custom') return [{ name: tool.name, input: { type: 'text' } }]
  return [{ name: tool.name, input: { type: 'json', schema: tool.parameters ?? { type: 'object' } } }]
}

export function decodeToolChoice(choice: ResponsesRequest['tool_choice']): ToolChoice {
  if (choice === undefined || choice === null) return { type: 'auto' }
  if (typeof choice === 'string') return { type: choice }
  if (choice.type === 'allowed_tools') return { type: choice.mode ?? 'auto' }
  return choice.name === undefined ? { type: 'auto' } : { type: 'named', name: choice.name }
}
