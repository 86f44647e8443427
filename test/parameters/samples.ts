import type { TextFormat } from '../conformance/talk.ts'

/** A parameter in use. */
export interface Sample {
  /** The parameter of the SDK that it is for. */
  readonly name: string
  /** What it asks for, where one parameter can ask for several things. */
  readonly kind?: string
  readonly fields: Readonly<Record<string, unknown>>
}

type Fields = Sample['fields']

const of = (name: string, value: unknown): Sample => ({ name, fields: { [name]: value } })
const all = (values: Fields): Sample[] => Object.entries(values).map(([name, value]) => of(name, value))
const tool = (kind: string, fields: Fields): Sample => ({ name: 'tools', kind, fields })
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }

const chatFunction = { type: 'function', function: { name: 'f', parameters: SCHEMA } }
const CHAT: readonly Sample[] = [
  ...all({
    frequency_penalty: 0.5,
    logit_bias: { 50256: -100 },
    max_completion_tokens: 50,
    max_tokens: 50,
    metadata: { job: 'x' },
    moderation: { model: 'auto' },
    n: 2,
    prediction: { type: 'content', content: 'Hi' },
    presence_penalty: 0.5,
    prompt_cache_key: 'x',
    prompt_cache_options: { mode: 'auto' },
    prompt_cache_retention: '24h',
    reasoning_effort: 'low',
    response_format: { type: 'json_object' },
    safety_identifier: 'x',
    seed: 7,
    service_tier: 'priority',
    stop: ['x'],
    temperature: 0.3,
    top_p: 0.5,
    user: 'x',
    verbosity: 'low',
    web_search_options: { search_context_size: 'low' },
  }),
  { name: 'audio', fields: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } } },
  { name: 'modalities', fields: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } } },
  {
    name: 'messages',
    kind: 'input_audio',
    fields: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
        },
      ],
    },
  },
  { name: 'functions', fields: { functions: [chatFunction.function] } },
  { name: 'function_call', fields: { functions: [chatFunction.function], function_call: { name: 'f' } } },
  { name: 'logprobs', fields: { logprobs: true } },
  { name: 'top_logprobs', fields: { logprobs: true, top_logprobs: 2 } },
  { name: 'parallel_tool_calls', fields: { tools: [chatFunction], parallel_tool_calls: false } },
  { name: 'tool_choice', fields: { tools: [chatFunction], tool_choice: 'required' } },
  tool('function', { tools: [chatFunction] }),
  tool('custom', { tools: [{ type: 'custom', custom: { name: 'f' } }] }),
]

const responsesFunction = { type: 'function', name: 'f', parameters: SCHEMA, strict: false }
const RESPONSES: readonly Sample[] = [
  ...all({
    access_programs: ['x'],
    context_management: [{ type: 'compaction', compact_threshold: 1_000 }],
    image: { background: 'opaque' },
    include: ['file_search_call.results'],
    instructions: 'Be brief.',
    max_output_tokens: 50,
    max_tool_calls: 3,
    metadata: { job: 'x' },
    moderation: { model: 'auto' },
    prompt: { id: 'pmpt_1' },
    prompt_cache_key: 'x',
    prompt_cache_options: { mode: 'auto' },
    prompt_cache_retention: '24h',
    reasoning: { effort: 'low' },
    safety_identifier: 'x',
    service_tier: 'priority',
    temperature: 0.3,
    top_p: 0.5,
    truncation: 'auto',
    user: 'x',
  }),
  { name: 'text', kind: 'verbosity', fields: { text: { verbosity: 'low' } } },
  { name: 'text', kind: 'format', fields: { text: { format: { type: 'json_object' } } } },
  { name: 'top_logprobs', fields: { top_logprobs: 2, include: ['message.output_text.logprobs'] } },
  { name: 'parallel_tool_calls', fields: { tools: [responsesFunction], parallel_tool_calls: false } },
  { name: 'tool_choice', fields: { tools: [responsesFunction], tool_choice: 'required' } },
  tool('function', { tools: [responsesFunction] }),
  tool('custom', { tools: [{ type: 'custom', name: 'f' }] }),
  tool('web_search', { tools: [{ type: 'web_search' }] }),
  tool('file_search', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }),
  tool('code_interpreter', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }),
  tool('image_generation', { tools: [{ type: 'image_generation' }] }),
  tool('mcp', {
    tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://x.example', require_approval: 'never' }],
  }),
]

const messagesTool = { name: 'f', input_schema: SCHEMA }
const MESSAGES: readonly Sample[] = [
  ...all({
    cache_control: { type: 'ephemeral' },
    compaction: { type: 'auto' },
    container: 'container_1',
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    diagnostics: { previous_message_id: 'msg_1' },
    fallback_credit_token: 'x',
    fallbacks: [{ model: 'other' }],
    inference_geo: 'us',
    max_tokens: 99,
    metadata: { user_id: 'x' },
    output_format: { type: 'json_schema', schema: { ...SCHEMA, additionalProperties: false } },
    service_tier: 'standard_only',
    speed: 'fast',
    stop_sequences: ['x'],
    system: 'Be brief.',
    temperature: 0.3,
    thinking: { type: 'adaptive' },
    top_k: 3,
    top_p: 0.5,
    user_profile_id: 'x',
    workspace_id: 'x',
  }),
  {
    name: 'output_config',
    kind: 'format',
    fields: {
      output_config: {
        format: { type: 'json_schema', schema: { ...SCHEMA, additionalProperties: false } },
      },
    },
  },
  { name: 'output_config', kind: 'effort', fields: { output_config: { effort: 'low' } } },
  {
    name: 'output_config',
    kind: 'task_budget',
    fields: { output_config: { task_budget: { type: 'tokens', total: 20_000 } } },
  },
  { name: 'tool_choice', fields: { tools: [messagesTool], tool_choice: { type: 'any' } } },
  tool('function', { tools: [messagesTool] }),
  tool('web_search', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
  tool('web_fetch', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }),
  tool('code_execution', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }),
  tool('bash', { tools: [{ type: 'bash_20250124', name: 'bash' }] }),
  tool('memory', { tools: [{ type: 'memory_20250818', name: 'memory' }] }),
  {
    name: 'mcp_servers',
    fields: {
      mcp_servers: [{ type: 'url', name: 'x', url: 'https://x.example' }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }],
    },
  },
]

const declared = [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: SCHEMA }] }]
const inConfig = (name: string, value: unknown): Sample => ({
  name,
  fields: { generationConfig: { [name]: value } },
})
const GENERATION: readonly Sample[] = [
  ...all({
    cachedContent: 'cachedContents/x',
    continuationToken: 'x',
    labels: { job: 'x' },
    modelArmorConfig: { promptTemplateName: 'x' },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    serviceTier: 'flex',
    store: true,
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
  }),
  ...Object.entries({
    audioTimestamp: true,
    audioTranscriptionConfig: {},
    candidateCount: 2,
    enableEnhancedCivicAnswers: true,
    frequencyPenalty: 0.5,
    generationOutputConfig: { mimeType: 'text/plain' },
    imageConfig: { aspectRatio: '1:1' },
    maxOutputTokens: 50,
    mediaResolution: 'MEDIA_RESOLUTION_LOW',
    modelSelectionConfig: { featureSelectionPreference: 'BALANCED' },
    presencePenalty: 0.5,
    responseMimeType: 'application/json',
    responseModalities: ['TEXT', 'IMAGE'],
    routingConfig: { autoMode: {} },
    seed: 7,
    speechConfig: { languageCode: 'en-US' },
    stopSequences: ['x'],
    temperature: 0.3,
    thinkingConfig: { thinkingBudget: 1_024 },
    topK: 3,
    topP: 0.5,
  }).map(([name, value]) => inConfig(name, value)),
  { name: 'responseLogprobs', fields: { generationConfig: { responseLogprobs: true } } },
  { name: 'logprobs', fields: { generationConfig: { responseLogprobs: true, logprobs: 2 } } },
  ...['responseSchema', 'responseJsonSchema'].map((name) => ({
    name,
    fields: { generationConfig: { responseMimeType: 'application/json', [name]: SCHEMA } },
  })),
  {
    name: 'toolConfig',
    fields: { tools: declared, toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
  },
  tool('function', { tools: declared }),
  tool('google_search', { tools: [{ googleSearch: {} }] }),
  tool('url_context', { tools: [{ urlContext: {} }] }),
  tool('code_execution', { tools: [{ codeExecution: {} }] }),
  tool('file_search', { tools: [{ fileSearch: { fileSearchStoreNames: ['x'] } }] }),
  tool('mcp', { tools: [{ mcpServers: [{ name: 'x' }] }] }),
]

/** Every parameter of every format, at least once. */
export const SAMPLES: Readonly<Record<TextFormat, readonly Sample[]>> = {
  'chat-completion': CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
  'content-generation': GENERATION,
}
