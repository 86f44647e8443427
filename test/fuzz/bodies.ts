import type { RequestAddress } from '../../src/protocols/protocol.ts'
import type { Format } from '../../src/vocabulary/supply.ts'

type Bodies = Readonly<Partial<Record<Format, readonly unknown[]>>>

const SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string', enum: ['a', 'b'] },
    days: { type: 'array', items: { $ref: '#/$defs/d' } },
  },
  required: ['city'],
  $defs: { d: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] } },
}
const IMAGE = 'iVBORw0KGgo='

/** Small requests that use what the golden ones leave out. */
export const REQUESTS = {
  'chat-completion': [
    { model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: true },
    {
      model: 'm',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'é' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}`, detail: 'low' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"city":"a"}' } },
            { id: 'b', type: 'custom', custom: { name: 'g', input: 'x' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: 'r' },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'r' }] },
        {
          role: 'assistant',
          content: 'a',
          refusal: 'r',
          thinking_blocks: [{ type: 'thinking', thinking: 't' }],
        },
      ],
      tools: [
        { type: 'function', function: { name: 'f', parameters: SCHEMA, strict: true } },
        { type: 'custom', custom: { name: 'g', format: { type: 'text' } } },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA } },
      stream_options: { include_usage: true },
      logprobs: true,
      top_logprobs: 2,
      stop: ['a'],
      n: 2,
      max_tokens: 5,
      reasoning_effort: 'low',
    },
    {
      model: 'm',
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } },
        { role: 'function', name: 'f', content: 'x' },
        { role: 'developer', content: 'late' },
      ],
      functions: [{ name: 'f', parameters: {} }],
      function_call: 'auto',
      logit_bias: { '5': -1 },
      metadata: { a: 'b' },
      web_search_options: { user_location: { type: 'approximate', approximate: { city: 'c' } } },
    },
  ],
  responses: [
    { model: 'm', input: 'hi', stream: true },
    {
      model: 'm',
      input: [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 't' }],
          encrypted_content: 'e',
        },
        { role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${IMAGE}` }] },
        { type: 'custom_tool_call', call_id: 'c', name: 'g', input: 'x' },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'y' },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'a', annotations: [] }],
        },
      ],
      tools: [
        { type: 'function', name: 'f', parameters: SCHEMA, strict: false },
        { type: 'custom', name: 'g', format: { type: 'grammar', syntax: 'lark', definition: 'd' } },
        { type: 'web_search', user_location: { type: 'approximate', city: 'c' } },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
      text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA }, verbosity: 'low' },
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      max_output_tokens: 50,
      store: false,
    },
  ],
  messages: [
    { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }], stream: true },
    {
      model: 'm',
      max_tokens: 5000,
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'url', url: 'https://e.example/a.png' } }],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: 's' },
            { type: 'redacted_thinking', data: 'd' },
            { type: 'tool_use', id: 'a', name: 'f', input: { city: 'a' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'a',
              is_error: true,
              content: [
                { type: 'text', text: 'r' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE } },
              ],
            },
          ],
        },
      ],
      tools: [
        { name: 'f', input_schema: SCHEMA },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 1024 },
      output_config: { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } },
      stop_sequences: ['x'],
      metadata: { user_id: 'u' },
    },
  ],
  'content-generation': [
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    {
      contents: [
        { role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: IMAGE } }] },
        {
          role: 'model',
          parts: [{ functionCall: { id: 'a', name: 'f', args: { city: 'a' } }, thoughtSignature: 's' }],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f', response: { output: 'r' } } }] },
        {
          role: 'model',
          parts: [{ text: 't', thought: true }, { executableCode: { code: 'c', language: 'PYTHON' } }],
        },
      ],
      system_instruction: 's',
      tools: [{ functionDeclarations: [{ name: 'f', parameters: SCHEMA }] }, { googleSearch: {} }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: {
        maxOutputTokens: 50,
        candidateCount: 2,
        stopSequences: ['x'],
        responseMimeType: 'application/json',
        responseSchema: SCHEMA,
        thinkingConfig: { includeThoughts: true, thinkingBudget: -1 },
        responseLogprobs: true,
        logprobs: 2,
      },
    },
  ],
} satisfies Bodies

const generateBody = REQUESTS['content-generation'][1]

/** What only counts look like; every request is counted as well. */
export const COUNTS: Bodies = {
  responses: [{ model: 'm', input: 'hi', instructions: 'i' }],
  messages: [{ model: 'm', messages: [{ role: 'user', content: 'hi' }] }],
  'content-generation': [{ generateContentRequest: { model: 'models/m', ...generateBody } }],
}

export const REPLIES: Bodies = {
  'chat-completion': [
    {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'a',
            reasoning_content: 't',
            annotations: [
              { type: 'url_citation', url_citation: { url: 'u', title: 't', start_index: 0, end_index: 1 } },
            ],
            tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          logprobs: { content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }] },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } },
    },
    { choices: [{ message: { content: [{ type: 'text', text: 'a' }] } }] },
  ],
  responses: [{ id: 'resp_1', created_at: 1.5, output: [{ type: 'message', content: [] }], usage: null }],
  messages: [
    {
      id: 'msg_1',
      content: [
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        {
          type: 'web_search_tool_result',
          tool_use_id: 's',
          content: [{ type: 'web_search_result', url: 'u' }],
        },
        {
          type: 'text',
          text: 'a',
          citations: [{ type: 'char_location', cited_text: 'c', start_char_index: 0 }],
        },
      ],
      stop_reason: 'refusal',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 2, cache_creation: { ephemeral_5m_input_tokens: 1 } },
    },
  ],
  'content-generation': [
    { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3 } },
    {
      candidates: [
        {
          content: {
            parts: [{ inlineData: { mimeType: 'image/png', data: IMAGE } }, { codeExecutionResult: {} }],
          },
          finishReason: 'MALFORMED_FUNCTION_CALL',
          finishMessage: 'm',
          logprobsResult: { chosenCandidates: [{ token: 'a', logProbability: -1 }], topCandidates: [] },
        },
      ],
    },
  ],
}

/** As services pass on what went wrong behind them. */
const LONG_CAUSE = JSON.stringify({
  exception: 'BackendError("worker 7 has left: \\u00e9")',
  trace: Array.from({ length: 12 }, (_, line) => ({ at: `serve/engine_${line}.py`, line: line * 37 })),
})

const OPENAI_ERRORS = [
  {
    error: {
      message: 'Too long for you',
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
      param: 'x',
    },
  },
  { detail: [{ msg: 'field required', loc: ['body'] }] },
  { error: 'not found', status: 404 },
  {
    error: {
      message: 'Provider returned error',
      code: 502,
      metadata: { raw: LONG_CAUSE, provider_name: null },
    },
    user_id: 'user_1',
  },
]

export const ERRORS: Bodies = {
  'chat-completion': OPENAI_ERRORS,
  responses: OPENAI_ERRORS,
  messages: [
    { type: 'error', error: { type: 'billing_error', message: 'messages.0.content: too long' } },
    ...OPENAI_ERRORS,
  ],
  'content-generation': [
    {
      error: {
        code: 429,
        message: 'Quota',
        status: 'RESOURCE_EXHAUSTED',
        details: [
          { reason: 'API_KEY_INVALID' },
          { retryDelay: '37.5s' },
          { fieldViolations: [{ field: 'contents' }] },
        ],
      },
    },
    [{ error: { code: 400, message: 'm', status: 'INVALID_ARGUMENT' } }],
    { error: { code: 500, message: LONG_CAUSE, status: 'INTERNAL', details: [{ '@type': 'DebugInfo' }] } },
  ],
}

/** Where requests of a format go that says things in the address. */
export const ADDRESSES: Readonly<Partial<Record<Format, readonly RequestAddress[]>>> = {
  'content-generation': [
    { rest: 'm:streamGenerateContent', query: new URLSearchParams('alt=sse') },
    { rest: 'vendor/m:1:generateContent', query: new URLSearchParams() },
    { rest: 'm:streamGenerateContent', query: new URLSearchParams('alt=json') },
  ],
}

export const COUNT_ADDRESS: RequestAddress = { rest: 'm:countTokens', query: new URLSearchParams() }
