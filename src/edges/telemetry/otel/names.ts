/**
 * Every name that this gateway exports over OpenTelemetry. The code, the tests and docs/monitoring/opentelemetry.md use this table.
 * Names that begin with `turnpike.` are our own; all others are those of the semantic conventions.
 */

interface Described {
  readonly name: string
  readonly about: string
}

function named<const Name extends string>(name: Name, about: string): Described & { readonly name: Name } {
  return { name, about }
}

const SERVER_TABLE = {
  method: named(
    'http.request.method',
    'The method; `_OTHER` when it is no usual one, absent for a message of a WebSocket.',
  ),
  route: named('http.route', 'The path of the endpoint, with its parameters by name.'),
  status: named('http.response.status_code', 'The status of the answer.'),
  errorType: named('error.type', 'What went wrong; absent when nothing did.'),
  requestId: named('turnpike.request.id', 'As in `x-request-id`, in the log and in the settlement.'),
  accountId: named('turnpike.account.id', 'The account of the API key.'),
  keyId: named('turnpike.key.id', 'The id of the API key, never the key.'),
} as const

const GEN_AI_TABLE = {
  operation: named(
    'gen_ai.operation.name',
    'What was asked for, such as `chat`, `text_completion` or `embeddings`.',
  ),
  provider: named(
    'gen_ai.provider.name',
    'Who made the supplier; the id of the supplier when it is none of the known ones.',
  ),
  requestModel: named('gen_ai.request.model', 'The model, as clients name it.'),
  stream: named('gen_ai.request.stream', 'True for streams; absent for whole replies.'),
  choiceCount: named('gen_ai.request.choice.count', 'How many answers were asked for, when more than one.'),
  maxTokens: named('gen_ai.request.max_tokens', 'The longest answer that the client wants.'),
  temperature: named('gen_ai.request.temperature', 'As the client sent it.'),
  topP: named('gen_ai.request.top_p', 'As the client sent it.'),
  topK: named('gen_ai.request.top_k', 'As the client sent it.'),
  seed: named('gen_ai.request.seed', 'As the client sent it.'),
  frequencyPenalty: named('gen_ai.request.frequency_penalty', 'As the client sent it.'),
  presencePenalty: named('gen_ai.request.presence_penalty', 'As the client sent it.'),
  stopSequences: named('gen_ai.request.stop_sequences', 'As the client sent them.'),
  outputType: named('gen_ai.output.type', '`json` when the client asked for JSON, `image`, `speech`.'),
  conversationId: named('gen_ai.conversation.id', 'The session that the client named.'),
  responseId: named('gen_ai.response.id', 'The id of the answer, as the client got it.'),
  responseModel: named('gen_ai.response.model', 'The name of the model at the supplier.'),
  finishReasons: named('gen_ai.response.finish_reasons', 'Why each answer ended.'),
  timeToFirstChunk: named(
    'gen_ai.response.time_to_first_chunk',
    'Seconds from admission to the first chunk of a stream.',
  ),
  inputTokens: named('gen_ai.usage.input_tokens', 'Tokens of the prompt, including cached ones.'),
  outputTokens: named('gen_ai.usage.output_tokens', 'Tokens of the answer, including reasoning.'),
  cacheReadTokens: named('gen_ai.usage.cache_read.input_tokens', 'Those read from a cache.'),
  cacheWriteTokens: named('gen_ai.usage.cache_creation.input_tokens', 'Those written to a cache.'),
  reasoningTokens: named('gen_ai.usage.reasoning.output_tokens', 'Those spent on reasoning.'),
  serverAddress: named('server.address', 'The host of the supplier.'),
  serverPort: named('server.port', 'Its port.'),
  errorType: named('error.type', "The supplier's status, the kind of failure, or the outcome."),
  systemInstructions: named('gen_ai.system_instructions', 'Content: the instructions, as JSON.'),
  inputMessages: named('gen_ai.input.messages', 'Content: the conversation, as JSON.'),
  outputMessages: named('gen_ai.output.messages', 'Content: the answers, as JSON.'),
  toolDefinitions: named('gen_ai.tool.definitions', 'Content: the tools, as JSON.'),
  requestId: named('turnpike.request.id', 'As in `x-request-id`, in the log and in the settlement.'),
  accountId: named('turnpike.account.id', 'The account that pays.'),
  keyId: named('turnpike.key.id', 'The id of the API key, never the key.'),
  agent: named('turnpike.agent.id', 'The agent within the session that the client named.'),
  supplier: named('turnpike.supplier.id', 'The supplier that answered.'),
  outcome: named('turnpike.outcome', 'How the request ended, as in its settlement.'),
  amount: named('turnpike.amount', 'What the account paid, in USDT.'),
  cost: named('turnpike.cost', 'What the supplier charges, in USDT.'),
} as const

const ATTEMPT_TABLE = {
  method: named('http.request.method', 'Always `POST`.'),
  status: named('http.response.status_code', 'The status of the supplier; absent when there was none.'),
  resendCount: named('http.request.resend_count', 'How many attempts there were before this one.'),
  serverAddress: named('server.address', 'The host of the supplier.'),
  serverPort: named('server.port', 'Its port.'),
  errorType: named('error.type', 'The status, else the kind of failure, such as `timeout`.'),
  supplier: named('turnpike.supplier.id', 'The supplier.'),
  credentialId: named('turnpike.credential.id', 'The id of our key at the supplier, never the key.'),
  reason: named('turnpike.attempt.reason', 'Why this supplier was chosen at this point.'),
  result: named('turnpike.attempt.result', '`answered`, `failed`, `refused`, `client_left` or `overtaken`.'),
} as const

const EVENT_TABLE = {
  admitted: named('turnpike.admitted', 'The request was within its limits.'),
  held: named('turnpike.held', 'Money was held for it: `turnpike.hold`, in USDT.'),
  settled: named(
    'turnpike.settled',
    'Its cost is written: `turnpike.amount`, `turnpike.cost` and `turnpike.usage.provenance`.',
  ),
} as const

const EVENT_ATTRIBUTE_TABLE = {
  hold: named('turnpike.hold', 'What was held, in USDT.'),
  amount: named('turnpike.amount', 'What the account paid, in USDT.'),
  cost: named('turnpike.cost', 'What the supplier charges, in USDT.'),
  provenance: named('turnpike.usage.provenance', 'Who counted the usage.'),
} as const

type Names<Table extends Readonly<Record<string, Described>>> = {
  readonly [Key in keyof Table]: Table[Key]['name']
}

function namesOf<Table extends Readonly<Record<string, Described>>>(table: Table): Names<Table> {
  const entries = Object.entries(table).map(([key, { name }]) => [key, name])
  return Object.fromEntries(entries) as Names<Table>
}

export const SERVER = namesOf(SERVER_TABLE)
export const GEN_AI = namesOf(GEN_AI_TABLE)
export const ATTEMPT = namesOf(ATTEMPT_TABLE)
export const EVENT = namesOf(EVENT_TABLE)
export const EVENT_ATTRIBUTE = namesOf(EVENT_ATTRIBUTE_TABLE)
/** Tells the two series of `gen_ai.client.token.usage` apart. */
export const TOKEN_TYPE = 'gen_ai.token.type'
/** Marks the series that takes everything beyond the limit of series. */
export const OVERFLOW = 'otel.metric.overflow'

const DURATION_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
] as const
const CHUNK_BUCKETS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5] as const
const FIRST_TOKEN_BUCKETS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
] as const
const TOKEN_BUCKETS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
] as const

interface MetricName extends Described {
  readonly unit: string
  /** Absent for sums. */
  readonly buckets?: readonly number[]
}

function metric(name: string, about: string, shape: Omit<MetricName, keyof Described>): MetricName {
  return { name, about, ...shape }
}

export const METRICS = {
  clientDuration: metric('gen_ai.client.operation.duration', 'From admission to the end of the answer.', {
    unit: 's',
    buckets: DURATION_BUCKETS,
  }),
  firstChunk: metric(
    'gen_ai.client.operation.time_to_first_chunk',
    'From admission to the first chunk. Streams only.',
    { unit: 's', buckets: FIRST_TOKEN_BUCKETS },
  ),
  outputChunk: metric(
    'gen_ai.client.operation.time_per_output_chunk',
    'Between two chunks, as they arrive from the network. Streams only.',
    { unit: 's', buckets: CHUNK_BUCKETS },
  ),
  tokenUsage: metric(
    'gen_ai.client.token.usage',
    'Tokens of one request, by `gen_ai.token.type`: `input` (including cached ones) and `output`.',
    { unit: '{token}', buckets: TOKEN_BUCKETS },
  ),
  serverDuration: metric('gen_ai.server.request.duration', 'From admission to the end of the answer.', {
    unit: 's',
    buckets: DURATION_BUCKETS,
  }),
  firstToken: metric(
    'gen_ai.server.time_to_first_token',
    'From admission to the first byte of the answer. Successful requests only.',
    { unit: 's', buckets: FIRST_TOKEN_BUCKETS },
  ),
  outputToken: metric(
    'gen_ai.server.time_per_output_token',
    'After the first token, by token. Complete streams with more than one token only.',
    { unit: 's', buckets: CHUNK_BUCKETS },
  ),
  amount: metric('turnpike.amount', 'What accounts paid.', { unit: '{USDT}' }),
  cost: metric('turnpike.cost', 'What suppliers charge.', { unit: '{USDT}' }),
} as const

/** The attributes of metrics. Their values are configured names and fixed words, never what clients send. */
export const METRIC_ATTRIBUTES = [
  GEN_AI_TABLE.operation,
  GEN_AI_TABLE.provider,
  GEN_AI_TABLE.requestModel,
  GEN_AI_TABLE.responseModel,
  GEN_AI_TABLE.serverAddress,
  GEN_AI_TABLE.serverPort,
  GEN_AI_TABLE.errorType,
] as const

/** The tables of docs/monitoring/opentelemetry.md, by their titles. */
export const NAME_TABLES: Readonly<Record<string, readonly Described[]>> = {
  'Span of a request to the gateway': Object.values(SERVER_TABLE),
  'Span of a request to a model': Object.values(GEN_AI_TABLE),
  'Span of a call to a supplier': Object.values(ATTEMPT_TABLE),
  Events: Object.values(EVENT_TABLE),
  'Attributes of events': Object.values(EVENT_ATTRIBUTE_TABLE),
  Metrics: Object.values(METRICS),
  'Attributes of metrics': METRIC_ATTRIBUTES,
}
