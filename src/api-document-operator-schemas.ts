import { cleanSchema, type JsonSchema, withNotes } from './edges/api-docs/clean-schema.ts'
import * as answers from './edges/operator-api/answer-schema.ts'
import * as bodies from './edges/operator-api/schema.ts'

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
  budget: 'A monthly amount with thresholds in percent; it never blocks, `usage_limit` does.',
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
