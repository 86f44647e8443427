import { cleanSchema, type JsonSchema, withNotes } from './edges/api-docs/clean-schema.ts'
import type { OperationDescription, ParameterDescription } from './edges/api-docs/description.ts'
import * as answers from './edges/operator-api/answer-schema.ts'
import * as bodies from './edges/operator-api/schema.ts'

const ROOT = '/operator/v1'

const AMOUNT = 'USDT as a decimal string with at most 9 decimals.'
const RPM = 'Requests per minute; null for no limit of its own.'
const TPM = 'Tokens per minute; null for no limit of its own.'
const TIME = 'RFC 3339 time with an offset; null for never.'

const keyNotes = {
  route_policy: '`provider` names a supplier and goes with `specified_provider` only.',
  usage_limit: 'What the key may spend in a period (UTC; weeks begin on Monday); null for no limit.',
  rpm: RPM,
  tpm: TPM,
  model_allowlist: 'Model ids, or beginnings followed by `*`; null allows every model.',
  budget: 'A monthly amount that warns at its thresholds, in percent, and never blocks.',
  expires_at: TIME,
}
const credentialNotes = {
  rpm: RPM,
  tpm: TPM,
  weight: 'How often it is chosen, compared with the other credentials of the supplier.',
}

/** Bodies and answers of the operator API, by the name the document gives them. */
export function operatorSchemas(): Record<string, JsonSchema> {
  return { ...bodySchemas(), ...answerSchemas() }
}

function bodySchemas(): Record<string, JsonSchema> {
  const body = (schema: object, notes: Readonly<Record<string, string>> = {}) =>
    withNotes(cleanSchema(schema), notes)
  return {
    AccountCreate: body(bodies.AccountBody),
    AccountChange: body(bodies.AccountChangeBody, {
      credit_line: 'How far below zero the balance may go; null is unlimited.',
    }),
    PaymentCreate: body(bodies.PaymentBody, {
      amount: AMOUNT,
      reference: 'The same reference twice is one payment.',
    }),
    AdjustmentCreate: body(bodies.AdjustmentBody, { amount: `${AMOUNT} May be negative.` }),
    TierAssign: body(bodies.TierBody, {
      rpm: "Instead of the tier's own.",
      tpm: "Instead of the tier's own.",
      expires_at: TIME,
    }),
    KeyCreate: body(bodies.KeyBody, keyNotes),
    KeyChange: body(bodies.KeyChangeBody, keyNotes),
    KeyRotate: body(bodies.RotateBody, {
      grace_seconds: 'How long the old secret lives on; 0 when left out.',
    }),
    SupplierPut: body(bodies.SupplierBody, {
      base_url:
        'As the SDK of that vendor takes it: with `/v1` for OpenAI-style suppliers, without for others.',
      formats: 'The wire formats the supplier speaks.',
      source: '`shared`: credentials of the platform. `byok`: those of the account in `account_id`.',
    }),
    CredentialCreate: body(bodies.CredentialBody, {
      ...credentialNotes,
      secret: 'The key at the supplier. Stored encrypted, never shown again.',
    }),
    CredentialChange: body(bodies.CredentialChangeBody, credentialNotes),
    ModelPut: body(bodies.ModelBody, {
      rpm: RPM,
      tpm: TPM,
      capabilities: 'What is known of the model beyond the defaults, such as `{"vision": false}`.',
    }),
    RoutePut: body(bodies.RouteBody, {
      upstream_model: 'The name of the model at the supplier.',
      formats: 'Fewer formats than the supplier speaks; null for all of them.',
      price: `${AMOUNT} Per million tokens, \`image\` per picture. A route without a price is not used.`,
      rpm: RPM,
      tpm: TPM,
      priority: 'Lower is tried first.',
    }),
  }
}

function answerSchemas(): Record<string, JsonSchema> {
  const items = {
    Account: answers.AccountAnswer,
    Key: answers.KeyAnswer,
    Supplier: answers.SupplierAnswer,
    Credential: answers.CredentialAnswer,
    CatalogModel: answers.ModelAnswer,
    RouteState: answers.RouteStateAnswer,
    Settlement: answers.SettlementAnswer,
    AuditEvent: answers.AuditEventAnswer,
  }
  const schemas: Record<string, JsonSchema> = {
    Payment: cleanSchema(answers.PaymentAnswer),
    Adjustment: cleanSchema(answers.AdjustmentAnswer),
    IssuedKey: cleanSchema(answers.IssuedKeyAnswer),
    Route: cleanSchema(answers.RouteAnswer),
    Deleted: cleanSchema(answers.DeletedAnswer),
  }
  for (const [name, item] of Object.entries(items)) {
    schemas[name] = cleanSchema(item)
    schemas[`${name}List`] = cleanSchema(answers.listOf(item))
  }
  return schemas
}

const READ_ERRORS = [400, 401, 404, 500, 503]
const WRITE_ERRORS = [400, 401, 404, 413, 415, 500, 503]

type Sketch = readonly [
  endpoint: OperationDescription['endpoint'],
  id: string,
  summary: string,
  answer: string,
]
type Details = Partial<Pick<OperationDescription, 'path' | 'description' | 'parameters'>> & {
  /** The name of the body's schema and an example of it. */
  readonly body?: readonly [schema: string, example: unknown]
  readonly isBodyOptional?: true
}

const PAGE: readonly ParameterDescription[] = [
  {
    name: 'limit',
    in: 'query',
    description: 'The most items to give.',
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
  { name: 'cursor', in: 'query', description: 'The `next_cursor` of the page before.' },
]

const MODEL_PARAMETER: ParameterDescription = {
  name: 'model',
  in: 'path',
  description: 'The model id; its slashes may stand as they are.',
}
const MODEL_PATH = `${ROOT}/models/{model}`

/** Builds the operations of one part of the operator API. */
function describer(tag: string) {
  return ([endpoint, id, summary, answer]: Sketch, details: Details = {}): OperationDescription => {
    const { body, isBodyOptional, ...rest } = details
    return {
      endpoint,
      id,
      tag,
      summary,
      security: ['operatorToken'],
      answer: { description: 'The object as it is stored.', schema: answer },
      errors: { family: 'OperatorError', statuses: body === undefined ? READ_ERRORS : WRITE_ERRORS },
      ...(body && {
        body: { schema: body[0], example: body[1], ...(isBodyOptional && { isOptional: true as const }) },
      }),
      ...rest,
    }
  }
}

export function operatorOperations(): OperationDescription[] {
  return [
    ...accountOperations(),
    ...keyOperations(),
    ...supplierOperations(),
    ...modelOperations(),
    ...historyOperations(),
  ]
}

function accountOperations(): OperationDescription[] {
  const call = describer('Accounts')
  const account = `${ROOT}/accounts/:id` as const
  return [
    call([`POST ${ROOT}/accounts`, 'createAccount', 'Create an account', 'Account'], {
      body: ['AccountCreate', { name: 'Acme', email: 'billing@acme.example' }],
    }),
    call([`GET ${ROOT}/accounts`, 'listAccounts', 'List accounts', 'AccountList'], { parameters: PAGE }),
    call([`GET ${account}`, 'showAccount', 'Show an account', 'Account']),
    call([`PATCH ${account}`, 'changeAccount', 'Change name or credit line', 'Account'], {
      body: ['AccountChange', { credit_line: '25' }],
    }),
    call([`POST ${account}/payments`, 'recordPayment', 'Record a payment', 'Payment'], {
      body: ['PaymentCreate', { amount: '10', reference: 'invoice-1' }],
      description: 'Raises the balance and the total paid, on which the earned tier depends.',
    }),
    call([`POST ${account}/adjustments`, 'recordAdjustment', 'Correct the balance', 'Adjustment'], {
      body: ['AdjustmentCreate', { amount: '-2.5', reason: 'duplicate credit' }],
      description: 'Changes the balance by a signed amount; the total paid stays as it is.',
    }),
    call([`PUT ${account}/tier`, 'assignTier', 'Assign a tier', 'Account'], {
      body: ['TierAssign', { tier: 'Enterprise', rpm: 6000, reason: 'contract' }],
      description: 'Outranks the earned tier until it expires or is ended.',
    }),
    call([`DELETE ${account}/tier`, 'endTierAssignment', 'End the assigned tier', 'Account'], {
      description: 'The earned tier is in force again.',
    }),
  ]
}

function keyOperations(): OperationDescription[] {
  const call = describer('API keys')
  const keys = `${ROOT}/accounts/:id/keys` as const
  const key = `${ROOT}/keys/:id` as const
  return [
    call([`POST ${keys}`, 'createKey', 'Create an API key', 'IssuedKey'], {
      body: ['KeyCreate', { name: 'ci', usage_limit: { period: 'daily', amount: '5' }, rpm: 60 }],
      description: 'The answer is the only one that holds the secret.',
    }),
    call([`GET ${keys}`, 'listKeys', 'List the keys of an account', 'KeyList'], { parameters: PAGE }),
    call([`GET ${key}`, 'showKey', 'Show a key', 'Key']),
    call([`PATCH ${key}`, 'changeKey', 'Change a key', 'Key'], {
      body: ['KeyChange', { model_allowlist: ['sandbox-*'], state: 'active' }],
      description: 'Fields that are left out stay as they are; null takes a setting away.',
    }),
    call([`POST ${key}/rotate`, 'rotateKey', 'Give a key a new secret', 'IssuedKey'], {
      body: ['KeyRotate', { grace_seconds: 3600 }],
      isBodyOptional: true,
    }),
    call([`DELETE ${key}`, 'revokeKey', 'Revoke a key for good', 'Key']),
  ]
}

function supplierOperations(): OperationDescription[] {
  const call = describer('Suppliers')
  const supplier = `${ROOT}/suppliers/:id` as const
  const credential = `${ROOT}/credentials/:id` as const
  return [
    call([`GET ${ROOT}/suppliers`, 'listSuppliers', 'List suppliers', 'SupplierList'], { parameters: PAGE }),
    call([`GET ${supplier}`, 'showSupplier', 'Show a supplier', 'Supplier']),
    call([`PUT ${supplier}`, 'putSupplier', 'Create or replace a supplier', 'Supplier'], {
      body: [
        'SupplierPut',
        {
          type: 'openai-compatible',
          base_url: 'https://api.example.com/v1',
          formats: ['chat-completion'],
          enabled: true,
        },
      ],
    }),
    call([`GET ${supplier}/credentials`, 'listCredentials', 'List credentials', 'CredentialList'], {
      parameters: PAGE,
    }),
    call([`POST ${supplier}/credentials`, 'addCredential', 'Add a credential', 'Credential'], {
      body: ['CredentialCreate', { secret: 'sk-upstream-1', rpm: 600, tpm: 1_000_000, weight: 1 }],
    }),
    call([`PATCH ${credential}`, 'changeCredential', 'Change a credential', 'Credential'], {
      body: ['CredentialChange', { state: 'disabled' }],
    }),
    call([`DELETE ${credential}`, 'deleteCredential', 'Delete a credential', 'Deleted']),
  ]
}

function modelOperations(): OperationDescription[] {
  const call = describer('Models and routes')
  return [
    call([`GET ${ROOT}/models`, 'listCatalogModels', 'List the models of the catalog', 'CatalogModelList'], {
      parameters: PAGE,
    }),
    call([`GET ${ROOT}/models/*`, 'showCatalogModel', 'Show a model', 'CatalogModel'], {
      path: MODEL_PATH,
      parameters: [MODEL_PARAMETER],
    }),
    call([`PUT ${ROOT}/models/*`, 'putModel', 'Create or replace a model', 'CatalogModel'], {
      path: MODEL_PATH,
      parameters: [MODEL_PARAMETER],
      body: [
        'ModelPut',
        {
          owned_by: 'acme',
          display_name: 'GPT-5',
          kinds: ['text'],
          input_token_limit: 400_000,
          output_token_limit: 128_000,
        },
      ],
    }),
    call([`PUT ${ROOT}/models/*`, 'putRoute', 'Create or replace a route of a model', 'Route'], {
      path: `${MODEL_PATH}/routes/{supplier}`,
      parameters: [MODEL_PARAMETER],
      body: [
        'RoutePut',
        {
          upstream_model: 'gpt-5',
          price: { input: '1.25', output: '10', cache_read: '0.125' },
          priority: 1,
          enabled: true,
        },
      ],
    }),
    call([`GET ${ROOT}/routes`, 'listRoutes', 'List routes with their credentials', 'RouteStateList'], {
      parameters: PAGE,
      description: 'Each credential tells what is left of its own limits in the present minute.',
    }),
  ]
}

const FILTERS: readonly ParameterDescription[] = [
  { name: 'account', in: 'query', description: 'Only this account id.' },
  { name: 'key', in: 'query', description: 'Only this key id.' },
  { name: 'model', in: 'query', description: 'Only this model id.' },
  { name: 'from', in: 'query', description: 'Started at this RFC 3339 time or later.' },
  { name: 'to', in: 'query', description: 'Started before this RFC 3339 time.' },
]

function historyOperations(): OperationDescription[] {
  const call = describer('History')
  return [
    call([`GET ${ROOT}/settlements`, 'listSettlements', 'List settlements, newest first', 'SettlementList'], {
      parameters: [...FILTERS, ...PAGE],
    }),
    call([`GET ${ROOT}/settlements/:id`, 'showSettlement', 'Show how a request ended', 'Settlement'], {
      parameters: [{ name: 'id', in: 'path', description: 'The `x-request-id` of the response.' }],
    }),
    call([`GET ${ROOT}/audit`, 'listAuditEvents', 'List changes, newest first', 'AuditEventList'], {
      parameters: PAGE,
      description: 'Who changed what, with the object before and after.',
    }),
  ]
}
