import type { Tool } from '../../conversation/tool.ts'
import { type PreparedRequest, routesOf } from './prepared-request.ts'

/** How many calls of a tool that the supplier runs are held for when the client sets no limit. */
const CALLS_WHEN_UNLIMITED = 10

// Every such tool is written with one of these words, in all formats.
const SERVER_TOOL = /web_?search|google_?search|code_?(execution|interpreter)/i

/** The most calls of tools that the supplier runs and charges for. Only prices with a rate for calls need it. */
export function mostServerCalls({ request, bodyText = '', target }: PreparedRequest): number {
  const isPriced = routesOf(target).some(
    ({ price }) => price.webSearchNano !== undefined || price.codeExecutionNano !== undefined,
  )
  if (!isPriced || request.client === undefined || !SERVER_TOOL.test(bodyText)) return 0
  return request.client.decode().tools.reduce((calls, tool) => calls + mostCalls(tool), 0)
}

function mostCalls(tool: Tool): number {
  if (tool.type === 'web-search') return tool.maxUses ?? CALLS_WHEN_UNLIMITED
  return tool.type === 'hosted' ? CALLS_WHEN_UNLIMITED : 0
}
