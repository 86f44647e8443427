import type { JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext } from '../../translation.ts'
import type { ResponsesRequest } from '../schema.ts'

/** A response that has just begun: every member the official clients take for granted, and the request's own words. */
export function beginResponse(request: ResponsesRequest, context: ReplyContext): JsonObject {
  const createdSeconds = Math.floor(context.createdAtMs / 1000)
  return {
    id: context.newId('resp_'),
    object: 'response',
    created: createdSeconds,
    created_at: createdSeconds,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: context.model,
    output: [],
    usage: null,
    ...echoRequest(request),
    background: false,
    access_programs: null,
  }
}

function echoRequest(request: ResponsesRequest): JsonObject {
  return {
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...request.reasoning },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: request.service_tier ?? 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { ...request.text, format: request.text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    user: request.user ?? null,
  }
}
