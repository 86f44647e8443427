import type { OperationDescription, ParameterDescription } from './edges/api-docs/description.ts'

const ROOT = '/operator/v1'

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
      description: 'Raises the balance and the total paid.',
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
