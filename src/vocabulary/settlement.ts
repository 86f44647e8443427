import { Type } from 'typebox'
import { USAGE_PROVENANCES, type Usage, type UsageDetails } from '../conversation/usage.ts'
import { ERROR_CODES, type ErrorCode } from '../errors/codes.ts'
import { amount, choice, exactAmount, flag, id, integer, json, list, percent, text, time } from './field.ts'
import type { AnyField } from './field-codec.ts'
import type { NanoUsdt } from './money.ts'
import { Price, RATE_NAMES } from './price.ts'
import { shape, type Value } from './shape.ts'
import type { Format } from './supply.ts'
import { FORMATS, OUTCOMES } from './words.ts'

export type Outcome = (typeof OUTCOMES)[number]

/** `overtaken`: another candidate that was called in parallel answered first. */
const ATTEMPT_RESULTS = ['answered', 'failed', 'refused', 'client_left', 'overtaken'] as const
export type AttemptResult = (typeof ATTEMPT_RESULTS)[number]

const modelId = text().example('gpt-5')
const supplierId = text().example('openai')
const credentialId = id('cred')
const format = choice(FORMATS)

const errorCode = choice(Object.keys(ERROR_CODES) as ErrorCode[])

/** The longest id of a session or an agent that is kept. */
export const MAX_SESSION_ID_LENGTH = 128
const sessionId = text(MAX_SESSION_ID_LENGTH).example('0199a1b2-5c3d-7e4f-8a9b-0c1d2e3f4a5b')
const agentId = text(MAX_SESSION_ID_LENGTH).example('reviewer')

/** One attempt at one candidate. It explains why a request went where it went. */
const Attempt = shape('Attempt', {
  model: modelId.note('The model, when the client asked for an alias; absent otherwise.').optional(),
  supplier: supplierId,
  credentialId,
  reason: text().note('Why this candidate was chosen at this point.').example('first choice'),
  result: choice(ATTEMPT_RESULTS),
  status: integer().nullable().example(200),
  failure: text().nullable().note('What went wrong; null when it answered.'),
  startedAtMs: time(),
  firstByteMs: integer().nullable().example(310),
  /** Absent in records of earlier versions. */
  durationMs: integer().nullable().note('Until it answered, failed or was cancelled.').example(320),
})
export type Attempt = Value<typeof Attempt>

const part = () => integer().optional()

export const UsedDetails = shape('UsedDetails', {
  cacheWrite30m: part().as('cache_write_30m'),
  cacheWrite1h: part().as('cache_write_1h'),
  cacheWrite12h: part().as('cache_write_12h'),
  audioInput: part(),
  imageInput: part(),
  audioCacheRead: part(),
  imageCacheRead: part(),
  audioOutput: part(),
  imageOutput: part(),
  webSearches: part(),
  codeExecutions: part(),
  searchUnits: part().note('What rerank suppliers count: a query with up to a number of documents.'),
  audioMs: part().note('The length of the audio that was read, in milliseconds.'),
  characters: part().note('Characters of the text that was spoken.'),
  serviceTier: text().example('flex').optional(),
  imageSize: text().example('1024x1024').optional(),
  imageQuality: text().example('high').optional(),
  isContradictory: json<true>(Type.Literal(true), true).as('contradictory').optional(),
} satisfies Record<keyof UsageDetails, AnyField>)

export const UsedTokens = shape('UsedTokens', {
  input: integer(),
  cacheRead: integer(),
  cacheWrite: integer(),
  output: integer(),
  reasoning: integer().note('The reasoning tokens included in `output`.'),
  images: integer().note('Images generated.'),
  details: UsedDetails.field
    .note('Parts of these counts that have a price of their own, and tool calls; absent when there are none.')
    .optional(),
} satisfies Record<keyof Usage, AnyField>)

/** What an operator or a customer should know about how a request was charged. */
export const SETTLEMENT_NOTES = [
  'implausible_usage',
  'cut_by_balance',
  'max_tokens_lowered',
  'abort_charged',
  'compaction',
] as const
export type SettlementNote = (typeof SETTLEMENT_NOTES)[number]

/** The immutable record of one admitted request. */
export const Settlement = shape('StoredSettlement', {
  requestId: id('req'),
  accountId: id('acc'),
  keyId: id('key'),
  model: modelId,
  supplier: supplierId.nullable(),
  credentialId: credentialId.nullable(),
  clientFormat: format,
  supplierFormat: format.nullable(),
  stream: flag(),
  session: sessionId.nullable().note('The session that the client named; null when it named none.'),
  agent: agentId
    .nullable()
    .note(
      'The agent within the session that the client named; null for the main agent, or when it named none.',
    ),
  parentAgent: agentId
    .nullable()
    .note('The agent that started this agent, if the client named it.')
    .example('planner'),
  usage: UsedTokens.field,
  provenance: choice(USAGE_PROVENANCES),
  price: Price.field.nullable().note('The rates that applied to the request.'),
  markupBasisPoints: percent()
    .nullable()
    .as('markup_percent')
    .note('What was added to the price, in percent; null for nothing.')
    .example(null),
  amountNano: amount().note('What the account paid.'),
  costRates: Price.field
    .nullable()
    .note('The rates at which the supplier charges; null when they are those of `price`.')
    .example(null),
  costNano: amount().note('What the supplier charges.'),
  notes: list(choice(SETTLEMENT_NOTES))
    .note(
      '`implausible_usage`: the report of the supplier cannot be true, so the gateway counted. `cut_by_balance`: the answer ended where the balance or the spending limit did. `max_tokens_lowered`: the balance or the spending limit allowed only a shorter answer. `abort_charged`: the client left, and the supplier charges for that. `compaction`: the request compacted a conversation.',
    )
    .example([]),
  outcome: choice(OUTCOMES),
  attempts: list(Attempt.field),
  startedAtMs: time(),
  firstByteMs: integer().nullable().example(310),
  durationMs: integer().example(1_500),
})
export type Settlement = Value<typeof Settlement>

const ChargedLine = shape('ChargedLine', {
  item: choice(RATE_NAMES).note('The rate in `price` that applied.').example('input'),
  quantity: integer().example(1_200),
  rateNano: amount().example('1.25'),
  per: choice(['million', 'unit', 'minute']).note(
    'What the rate is for: a million of them, one of them, or a minute. The quantity for a minute is in milliseconds.',
  ),
  promptPartAbove: integer()
    .note('The line is for the part of the prompt above this many tokens.')
    .example(200_000)
    .optional(),
  amountFemto: exactAmount()
    .as('amount')
    .note('With up to 15 decimals; exact, except that a part of a minute is rounded to them.')
    .example('0.0015'),
})
export type ChargedLine = Value<typeof ChargedLine>

/** A settlement with the calculation of its amount. */
export const SettlementView = Settlement.with('Settlement', {
  lines: list(ChargedLine.field).note('How the price was calculated; derived from `usage` and `price`.'),
  priceTotalNano: amount().note(
    'The sum of `lines`, rounded once, half up, to 9 decimals. With the mark-up it is `amount`.',
  ),
  errorCode: errorCode
    .nullable()
    .note('The error of the last attempt; null when the request did not fail with one.')
    .example(null),
})
export type SettlementView = Value<typeof SettlementView>

/** A charge without anything out of the ordinary. */
export const AT_PRICE = { markupBasisPoints: null, costRates: null, notes: [] } as const

/** What a client told about its session. */
export type SessionIds = Pick<Settlement, 'session' | 'agent' | 'parentAgent'>
export const NO_SESSION: SessionIds = { session: null, agent: null, parentAgent: null }

/** `fromMs` is inclusive and `toMs` exclusive, so that adjacent ranges share no settlement. */
export const SettlementFilter = shape('SettlementFilter', {
  accountId: id('acc').note('Only this account id.'),
  keyId: id('key').note('Only this key id.'),
  model: modelId.note('Only this model id.'),
  session: sessionId.note('Only this session.'),
  agent: agentId.note('Only this agent.'),
  fromMs: time().note('Started at this RFC 3339 time or later.'),
  toMs: time().note('Started before this RFC 3339 time.'),
})
export type SettlementFilter = Partial<Value<typeof SettlementFilter>>

/** What else settlements can be looked for by. */
export const SettlementSearch = shape('SettlementSearch', {
  outcome: choice(OUTCOMES).note('Only this outcome.'),
  code: errorCode.note('Only requests that failed with this error code.').example('provider_timeout'),
  supplier: supplierId.note('Only this supplier id.'),
  stream: flag().note('Only streamed requests, or only others.'),
})

/** How much of a request id is enough to look for it: its time to a quarter of a second. */
export const SHORTEST_ID_START = 14

/** Filters for a list of settlements. */
export const SettlementListFilter = SettlementFilter.with('SettlementListFilter', {
  accountId: SettlementFilter.fields.accountId.as('account'),
  keyId: SettlementFilter.fields.keyId.as('key'),
  ...SettlementSearch.fields,
  requestId: text()
    .as('id')
    .note(
      `Only the request with this id, or those whose id starts with these ${SHORTEST_ID_START} or more characters.`,
    )
    .example('req_019a2b3c4d5e'),
})
export type SettlementListFilter = Partial<Value<typeof SettlementListFilter>>

/** Filters for an export of settlements. */
export const SettlementExportFilter = SettlementFilter.with('SettlementExportFilter', SettlementSearch.fields)
export type SettlementExportFilter = Partial<Value<typeof SettlementExportFilter>>

/** The calendar periods (UTC) of usage totals. */
export const USAGE_SPANS = ['hour', 'day'] as const
export type UsageSpan = (typeof USAGE_SPANS)[number]

/** What usage is counted by in advance. */
export const UsageGroup = shape('UsageGroup', {
  accountId: id('acc'),
  keyId: id('key'),
  model: modelId,
  /** null when no supplier answered. */
  supplier: supplierId.nullable(),
})
export type UsageGroup = Value<typeof UsageGroup>

/** What usage can be grouped by. There are too many sessions to count each in advance. */
export const UsageDimensions = UsageGroup.with('UsageDimensions', {
  session: sessionId.nullable(),
  agent: agentId.nullable(),
})
export type UsageDimensions = Value<typeof UsageDimensions>

const OutcomeCounts = shape('OutcomeCounts', {
  completed: integer(),
  clientLeft: integer(),
  supplierFailed: integer(),
  refused: integer(),
  interrupted: integer(),
})

/** The usage of one group in one period. */
export const UsageView = shape('Usage', {
  startMs: time().as('starts_at'),
  accountId: UsageGroup.fields.accountId.optional(),
  keyId: UsageGroup.fields.keyId.optional(),
  model: UsageGroup.fields.model.optional(),
  supplier: UsageGroup.fields.supplier.optional(),
  session: UsageDimensions.fields.session.optional(),
  agent: UsageDimensions.fields.agent.optional(),
  requests: integer(),
  outcomes: OutcomeCounts.field,
  usage: UsedTokens.field,
  amountNano: amount().note('What accounts paid.'),
  costNano: amount().note('What suppliers charge.'),
  marginNano: amount().note('`amount` less `cost`.'),
  firstBytes: integer().note('How many requests had a first byte.'),
  firstByteMs: integer().note('The sum of the times until the first byte.'),
  durationMs: integer(),
})
export type UsageView = Value<typeof UsageView>

/** The totals of one group in one period. */
export type UsageFigures = {
  -readonly [Name in
    | keyof Value<typeof OutcomeCounts>
    | Exclude<keyof Usage, 'details'>
    | 'firstBytes'
    | 'firstByteMs'
    | 'durationMs']: number
} & { amountNano: NanoUsdt; marginNano: NanoUsdt }

/** For usage, `fromMs` and `toMs` refer to the start of a period. */
export const UsageFilter = SettlementFilter.with('UsageFilter', {
  fromMs: time().note('Hours or days that start at this RFC 3339 time or later.'),
  toMs: time().note('Hours or days that start before this RFC 3339 time.'),
  supplier: supplierId.note('Only this supplier id.'),
})
export type UsageFilter = Partial<Value<typeof UsageFilter>>

/** A request at its admission, for the journal. */
export interface AdmissionRecord {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly model: string
  readonly clientFormat: Format
  readonly stream: boolean
  readonly holdNano: NanoUsdt
  readonly startedAtMs: number
  /** Absent when the client named no session. */
  readonly sessionIds?: SessionIds
}

/** Whether an account's request and response bodies are stored, and for how long. */
export const BodyStorage = shape('StoredBodyStorage', {
  accountId: id('acc'),
  isEnabled: flag().as('enabled'),
  days: integer({ min: 1, max: 365 }).example(7),
})
export type BodyStorage = Value<typeof BodyStorage>

export const BodyStorageView = BodyStorage.without('BodyStorage', ['accountId'])

/** Without `days` the retention stays unchanged. */
export const BodyStorageChange = BodyStorage.pick('BodyStorageChange', ['isEnabled']).with(
  'BodyStorageChange',
  { days: BodyStorage.fields.days.optional() },
).draft

/** The stored bodies of one request. */
export const KeptContent = shape('KeptBody', {
  request: text().example('{"model":"gpt-5","messages":[]}'),
  response: text().nullable().note('null when nothing was delivered.').example('{"choices":[]}'),
  isRequestCut: flag().as('request_cut').note('Whether only the beginning was stored.').example(false),
  isResponseCut: flag().as('response_cut').note('Whether only the beginning was stored.').example(false),
})
export type KeptContent = Value<typeof KeptContent>

export const KeptBody = KeptContent.with('StoredBody', {
  accountId: id('acc'),
  requestId: id('req'),
  createdAtMs: time(),
})
export type KeptBody = Value<typeof KeptBody>
