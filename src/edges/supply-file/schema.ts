import { type Static, type TSchema, Type } from 'typebox'
import { FORMATS, MODEL_KINDS, SUPPLIER_TYPES } from '../../vocabulary/supply.ts'

// What every database column for such numbers holds.
const LARGEST_COUNT = 2_000_000_000
const LONGEST_WAIT_SECONDS = 3_600
const MOST_ITEMS = 10_000

// An unknown field is a misspelt one more often than not; accepting it would lose what it was meant to say.
const closed = { additionalProperties: false } as const

// `takes` ends the sentence "it takes …" of whoever complains about a value.
const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const text = (most: number, takes = `a text of 1 to ${most} characters`) =>
  Type.String({ minLength: 1, maxLength: most, takes })
const Id = text(200)
const Name = text(200)
const Flag = Type.Boolean({ takes: 'true or false' })
const Count = OrNull(
  Type.Integer({ minimum: 1, maximum: LARGEST_COUNT, takes: `a whole number from 1 to ${LARGEST_COUNT}` }),
)
const Seconds = OrNull(
  Type.Number({
    exclusiveMinimum: 0,
    maximum: LONGEST_WAIT_SECONDS,
    takes: `seconds, more than 0 and at most ${LONGEST_WAIT_SECONDS}`,
  }),
)
const Amount = Type.String({
  pattern: '^\\d{1,9}(\\.\\d{1,9})?$',
  takes: 'a decimal amount in USDT such as 1.25, with at most 9 decimals',
})

function choice<const Word extends string>(words: readonly Word[]) {
  return Type.Enum<Word[]>([...words], { takes: `one of ${words.join(', ')}` })
}

function list<Item extends TSchema>(item: Item, takes: string) {
  return Type.Array(item, { maxItems: MOST_ITEMS, takes })
}

function words<const Word extends string>(known: readonly Word[]) {
  const takes = `a list of one or more of ${known.join(', ')}, each once`
  return Type.Array(choice(known), { minItems: 1, uniqueItems: true, takes })
}

const Credential = Type.Object(
  {
    label: text(200),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the file writes a reference.
    secret: text(10_000, 'the key at the supplier, best as ${NAME} of an environment variable'),
    rpm: Type.Optional(Count),
    tpm: Type.Optional(Count),
    weight: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        takes: 'a number above 0 and at most 1000000',
      }),
    ),
    state: Type.Optional(choice(['active', 'disabled'])),
  },
  { ...closed, takes: 'a credential with label and secret' },
)

const Timeouts = Type.Object(
  {
    connect_seconds: Type.Optional(Seconds),
    first_byte_seconds: Type.Optional(Seconds),
    idle_seconds: Type.Optional(Seconds),
  },
  { ...closed, takes: 'connect_seconds, first_byte_seconds and idle_seconds' },
)

const Supplier = Type.Object(
  {
    id: Id,
    type: choice(SUPPLIER_TYPES),
    base_url: text(2_000, 'an http or https address'),
    formats: words(FORMATS),
    source: Type.Optional(choice(['shared', 'byok'])),
    account_id: Type.Optional(OrNull(text(200))),
    enabled: Type.Optional(Flag),
    options: Type.Optional(
      Type.Record(Type.String(), text(2_000, 'a text, in quotes where it looks like something else'), {
        takes: 'names and texts',
      }),
    ),
    timeouts: Type.Optional(Timeouts),
    credentials: Type.Optional(list(Credential, 'a list of credentials')),
    prune: Type.Optional(Flag),
  },
  { ...closed, takes: 'a supplier with id, type, base_url and formats' },
)

const Price = Type.Object(
  {
    input: Amount,
    output: Amount,
    cache_read: Type.Optional(Amount),
    cache_write: Type.Optional(Amount),
    image: Type.Optional(Amount),
  },
  { ...closed, takes: 'a price with input and output' },
)

const Route = Type.Object(
  {
    supplier: Id,
    upstream_model: Name,
    formats: Type.Optional(OrNull(words(FORMATS))),
    price: Type.Optional(OrNull(Price)),
    rpm: Type.Optional(Count),
    tpm: Type.Optional(Count),
    priority: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000, takes: 'a whole number from 0 to 1000000' }),
    ),
    enabled: Type.Optional(Flag),
  },
  { ...closed, takes: 'a route with supplier and upstream_model' },
)

const Model = Type.Object(
  {
    id: Id,
    owned_by: Name,
    display_name: Type.Optional(Name),
    description: Type.Optional(Type.String({ maxLength: 2_000, takes: 'a text of at most 2000 characters' })),
    kinds: Type.Optional(words(MODEL_KINDS)),
    input_token_limit: Type.Optional(Count),
    output_token_limit: Type.Optional(Count),
    rpm: Type.Optional(Count),
    tpm: Type.Optional(Count),
    capabilities: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { takes: 'names and values' })),
    routes: Type.Optional(list(Route, 'a list of routes')),
  },
  { ...closed, takes: 'a model with id and owned_by' },
)

/** A supply file, with the names and units of the operator API. */
export const SupplyFile = Type.Object(
  {
    suppliers: Type.Optional(list(Supplier, 'a list of suppliers')),
    models: Type.Optional(list(Model, 'a list of models')),
  },
  { ...closed, takes: 'suppliers and models' },
)

export type WrittenSupply = Static<typeof SupplyFile>
export type WrittenSupplier = Static<typeof Supplier>
export type WrittenCredential = Static<typeof Credential>
export type WrittenModel = Static<typeof Model>
export type WrittenRoute = Static<typeof Route>
