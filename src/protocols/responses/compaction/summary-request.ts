import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import { inputItemsOf, kindOfItem } from '../request/input-items.ts'
import { withoutTrigger } from './compaction-items.ts'

export const SUMMARY_PROMPT = `Summarize the conversation so far, so that a model that sees only your summary can continue it. Include:
- what the user wants, with every requirement, preference and correction that still applies;
- what has been done and found out, with the exact names, paths, identifiers, figures and error messages that are needed later;
- decisions and the reasons for them;
- what is unfinished, and the next steps.
Leave out what no longer matters. Do not continue the work, call no tools, and write nothing but the summary.`

/** Members that are about the client's own answer. */
const NOT_FOR_SUMMARY: ReadonlySet<string> = new Set([
  'input',
  'text',
  'tool_choice',
  'stream',
  'stream_options',
  'store',
  'background',
  'conversation',
  'previous_response_id',
  'context_management',
  'max_tool_calls',
  'top_logprobs',
  'include',
])

/** The request that has a model write the summary. It begins like the conversation, which the supplier may have cached. */
export function summaryRequest(body: unknown): JsonObject {
  const items = answeredItems(withoutTrigger(inputItemsOf(body)))
  const kept = Object.entries(asObject(body) ?? {}).filter(([name]) => !NOT_FOR_SUMMARY.has(name))
  const question = {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: SUMMARY_PROMPT }],
  }
  const tools = toolsFor(body, items)
  return {
    ...Object.fromEntries(kept),
    input: [...items, question],
    ...(tools.length > 0 && { tools, tool_choice: 'none' }),
    store: false,
  }
}

/** Suppliers refuse calls without results, and thoughts without what they led to. */
function answeredItems(items: readonly unknown[]): readonly unknown[] {
  const answered = new Set(items.flatMap((item) => (isResult(item) ? [asText(asObject(item)?.call_id)] : [])))
  const isOpen = (item: unknown) => isCall(item) && !answered.has(asText(asObject(item)?.call_id))
  if (!items.some(isOpen)) return items
  const end = items.findLastIndex((item) => !isOpen(item) && asObject(item)?.type !== 'reasoning') + 1
  return items.slice(0, end).filter((item) => !isOpen(item))
}

function isCall(item: unknown): boolean {
  const type = asObject(item)?.type
  return type === 'function_call' || type === 'custom_tool_call'
}

function isResult(item: unknown): boolean {
  const type = asObject(item)?.type
  return type === 'function_call_output' || type === 'custom_tool_call_output'
}

/** Some suppliers refuse calls of tools that the request does not define. */
function toolsFor(body: unknown, items: readonly unknown[]): readonly unknown[] {
  const given = asArray(asObject(body)?.tools)
  if (given.length > 0) return given
  const tools = new Map<string, JsonObject>()
  for (const item of items) {
    const call = isCall(item) ? asObject(item) : null
    const name = asText(call?.name)
    if (call === null || name === null) continue
    const isCustom = kindOfItem(call) === 'custom_tool_call'
    tools.set(
      name,
      isCustom ? { type: 'custom', name } : { type: 'function', name, parameters: { type: 'object' } },
    )
  }
  return [...tools.values()]
}
