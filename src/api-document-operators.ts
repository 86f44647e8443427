import { bookOperations } from './api-document-books.ts'
import { userOperationDescriptions } from './api-document-users.ts'
import type { OperationDescription, ParameterDescription } from './edges/api-docs/description.ts'

const ROOT = '/operator/v1'

const READ_ERRORS = [400, 401, 404, 429, 500, 503]
const WRITE_ERRORS = [400, 401, 404, 413, 415, 429, 500, 503]

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
    ...paymentOperations(),
    ...tierOperations(),
    ...keyOperations(),
    ...alertOperations(),
    ...supplierOperations(),
    ...modelOperations(),
    ...historyOperations(),
    ...bookOperations(),
    ...userOperationDescriptions(),
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
    call([`PATCH ${account}`, 'changeAccount', 'Change name, credit line or balance alert', 'Account'], {
      body: ['AccountChange', { credit_line: '25' }],
    }),
  ]
}

function paymentOperations(): OperationDescription[] {
  const call = describer('Accounts')
  const account = `${ROOT}/accounts/:id` as const
  return [
    call([`POST ${account}/payments`, 'recordPayment', 'Record a payment', 'Payment'], {
      body: ['PaymentCreate', { amount: '10', reference: 'invoice-1' }],
      description: 'Raises the balance and the total paid.',
    }),
    call([`GET ${account}/payments`, 'listPayments', 'List payments, newest first', 'PaymentList'], {
      parameters: PAGE,
    }),
    call([`POST ${ROOT}/payments/import`, 'importPayments', 'Record a file of payments', 'PaymentImport'], {
      body: ['PaymentImportCreate', { csv: 'account_id,amount,reference\nacc_1,10,invoice-1\n' }],
      description: 'All lines or none. A line that was recorded before with the same amount is no fault.',
    }),
    call([`POST ${account}/refunds`, 'recordRefund', 'Record money given back', 'Refund'], {
      body: ['RefundCreate', { amount: '5', reference: 'refund-1', reason: 'asked for' }],
      description: 'Lowers the balance; the total paid stays as it is.',
    }),
    call([`POST ${account}/adjustments`, 'recordAdjustment', 'Correct the balance', 'Adjustment'], {
      body: ['AdjustmentCreate', { amount: '-2.5', reference: 'ticket-1', reason: 'duplicate credit' }],
      description: 'Changes the balance by a signed amount; the total paid stays as it is.',
    }),
    call([`GET ${account}/ledger`, 'listLedger', 'List what moved the balance', 'LedgerEntryList'], {
      parameters: PAGE,
      description: 'Newest first. The balance is the sum of all entries.',
    }),
    paymentWebhook(),
  ]
}

function paymentWebhook(): OperationDescription {
  return {
    endpoint: 'POST /webhooks/payments',
    id: 'reportPayment',
    tag: 'Accounts',
    summary: 'Report a payment, as a payment processor',
    description:
      'Not found unless `TURNPIKE_PAYMENT_WEBHOOK_SECRET` is set. The same reference twice is one payment.',
    security: [],
    parameters: [
      {
        name: 'turnpike-signature',
        in: 'header',
        description:
          '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>" under the secret>`, at most 5 minutes old.',
      },
    ],
    body: {
      schema: 'PaymentEvent',
      example: { account_id: 'acc_1', amount: '10', reference: 'evt-1' },
    },
    answer: { description: 'The payment as it is stored.', schema: 'Payment' },
    errors: { family: 'OperatorError', statuses: WRITE_ERRORS },
  }
}

function tierOperations(): OperationDescription[] {
  const call = describer('Accounts')
  const tier = `${ROOT}/accounts/:id/tier` as const
  return [
    call([`PUT ${tier}`, 'assignTier', 'Assign a tier', 'Account'], {
      body: ['TierAssign', { tier: 'Enterprise', rpm: 6000, reason: 'contract' }],
      description: 'Outranks the earned tier until it expires or is ended.',
    }),
    call([`DELETE ${tier}`, 'endTierAssignment', 'End the assigned tier', 'Account'], {
      description: 'The earned tier is in force again.',
    }),
    call([`POST ${ROOT}/tiers/evaluate`, 'evaluateTiers', 'Evaluate tiers now', 'TierEvaluation'], {
      description: 'Runs what otherwise runs at every full hour.',
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

function alertOperations(): OperationDescription[] {
  const call = describer('Alerts')
  const webhook = `${ROOT}/accounts/:id/webhook` as const
  return [
    call([`GET ${ROOT}/alerts`, 'listAlerts', 'List alerts, newest first', 'AlertList'], {
      parameters: [{ name: 'account_id', in: 'query', description: 'Only this account id.' }, ...PAGE],
    }),
    call([`PUT ${webhook}`, 'putWebhook', 'Set where an account is told of alerts', 'IssuedWebhook'], {
      body: ['WebhookPut', { url: 'https://hooks.example.com/alerts', enabled: true }],
      description: 'The first time the answer holds the signing secret, which is never shown again.',
    }),
    call([`GET ${webhook}`, 'showWebhook', 'Show the webhook of an account', 'Webhook']),
    call([`DELETE ${webhook}`, 'deleteWebhook', 'Remove the webhook of an account', 'Deleted']),
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
    call([`DELETE ${supplier}`, 'deleteSupplier', 'Delete a supplier', 'Deleted']),
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
    call([`GET ${supplier}/models`, 'compareModels', 'Compare models with the supplier', 'ModelComparison'], {
      description:
        'Asks the supplier for its own list. `missing` is configured and not offered, `unknown` the other way round.',
    }),
    call([`POST ${ROOT}/doctor`, 'examineSupply', 'Call every supplier once', 'Findings'], {
      description: 'A short request with each active credential, which the suppliers charge for.',
    }),
    call([`POST ${ROOT}/supply`, 'applySupply', 'Apply a supply file', 'SupplyChanges'], {
      body: ['SupplyApply', { document: 'suppliers: []', dry_run: true }],
      description: 'All of the file or nothing. Applying the same file again changes nothing.',
    }),
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
    call([`DELETE ${ROOT}/models/*`, 'deleteModel', 'Delete a model', 'Deleted'], {
      path: MODEL_PATH,
      parameters: [MODEL_PARAMETER],
    }),
    call([`DELETE ${ROOT}/models/*`, 'deleteRoute', 'Delete a route of a model', 'Deleted'], {
      path: `${MODEL_PATH}/routes/{supplier}`,
      parameters: [MODEL_PARAMETER],
    }),
    call([`GET ${ROOT}/routes`, 'listRoutes', 'List routes with their credentials', 'RouteStateList'], {
      parameters: PAGE,
      description:
        'Each credential tells how it has been doing on this route, and what is left of its own limits in the present minute.',
    }),
  ]
}

const FILTERS: readonly ParameterDescription[] = [
  { name: 'account', in: 'query', description: 'Only this account id.' },
  { name: 'key', in: 'query', description: 'Only this key id.' },
  { name: 'model', in: 'query', description: 'Only this model id.' },
  { name: 'outcome', in: 'query', description: 'Only those that ended like this.' },
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
    call([`GET ${ROOT}/system`, 'showSystem', 'Show how the gateway is doing', 'System'], {
      description:
        'The node that answers, all nodes that are known, database, Redis and journal, and the settings that are no secret.',
    }),
    call([`GET ${ROOT}/audit`, 'listAuditEvents', 'List changes, newest first', 'AuditEventList'], {
      parameters: PAGE,
      description: 'Who changed what, with the object before and after.',
    }),
  ]
}
