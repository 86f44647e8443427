import { bookSchemas } from './api-document-books.ts'
import { userSchemas } from './api-document-users.ts'
import { cleanSchema, type JsonSchema, withNotes } from './edges/api-docs/clean-schema.ts'
import * as answers from './edges/management-api/operator/answer-schema.ts'
import { FindingsAnswer, ModelComparisonAnswer } from './edges/management-api/operator/doctor-schema.ts'
import * as bodies from './edges/management-api/operator/schema.ts'
import { SupplyChangesAnswer, SupplyFileBody } from './edges/management-api/operator/supply-file-schema.ts'
import { SystemStatus } from './vocabulary/system.ts'
import { AlertView, IssuedWebhook, WebhookPut, WebhookView } from './vocabulary/alert.ts'
import { AuditEvent } from './vocabulary/audit-event.ts'
import {
  Adjustment,
  AdjustmentCreate,
  LedgerEntry,
  Payment,
  PaymentCreate,
  PaymentEvent,
  PaymentImport,
  PaymentImportCreate,
  Refund,
  RefundCreate,
} from './vocabulary/ledger.ts'
import { Settlement } from './vocabulary/settlement.ts'

const AMOUNT = 'USDT as a decimal string with at most 9 decimals.'
const RPM = 'Requests per minute; null for no limit of its own.'
const TPM = 'Tokens per minute; null for no limit of its own.'
const TIME = 'RFC 3339 time with an offset; null for never.'

const keyNotes = {
  route_policy: '`provider` names a supplier and goes with `specified_provider` only.',
  usage_limit: 'What the key may spend in a period (UTC; weeks begin on Monday); null for no limit.',
  rpm: RPM,
  tpm: TPM,
  model_allowlist: 'At most 1,000 model ids, or beginnings followed by `*`; null allows every model.',
  budget: 'A monthly amount with thresholds in percent; it never blocks, `usage_limit` does.',
  expires_at: TIME,
  shared_fallback:
    'Whether shared suppliers may serve what the own suppliers of the account cannot; false when left out.',
}
const credentialNotes = {
  rpm: RPM,
  tpm: TPM,
  weight: 'How often it is chosen, compared with the other credentials of the supplier.',
}

/** Bodies and answers of the operator API, by the name the document gives them. */
export function operatorSchemas(): Record<string, JsonSchema> {
  return { ...bodySchemas(), ...answerSchemas(), ...bookSchemas(), ...userSchemas() }
}

function body(schema: object, notes: Readonly<Record<string, string>> = {}): JsonSchema {
  return withNotes(cleanSchema(schema), notes)
}

function bodySchemas(): Record<string, JsonSchema> {
  return {
    AccountCreate: body(bodies.AccountBody),
    AccountChange: body(bodies.AccountChangeBody, {
      credit_line: 'How far below zero the balance may go; null is unlimited.',
      balance_alert: 'A balance below this is an alert; null for none.',
    }),
    ...moneySchemas(),
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
      account_id: 'Required with `byok`; for other accounts the supplier does not exist.',
      options: 'What only suppliers of this type need; names the type does not know are refused.',
      timeouts: 'How long to wait in seconds; null or left out for the usual time.',
    }),
    CredentialCreate: body(bodies.CredentialBody, {
      ...credentialNotes,
      secret: 'The key at the supplier. Stored encrypted, never shown again.',
    }),
    CredentialChange: body(bodies.CredentialChangeBody, {
      ...credentialNotes,
      secret: 'Takes the place of the old one on the next request.',
    }),
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
    SupplyApply: body(SupplyFileBody, {
      document: 'The text of a supply file, which is YAML.',
      name: 'What messages call the file.',
      variables: 'What the names the file refers to stand for.',
      dry_run: 'Only tells what would change.',
    }),
  }
}

function moneySchemas(): Record<string, JsonSchema> {
  const all = [PaymentCreate, PaymentImportCreate, PaymentEvent, RefundCreate, AdjustmentCreate, WebhookPut]
  return Object.fromEntries(all.map(({ name, schema }) => [name, cleanSchema(schema)]))
}

function answerSchemas(): Record<string, JsonSchema> {
  const items = {
    Account: answers.AccountAnswer,
    Payment: Payment.schema,
    LedgerEntry: LedgerEntry.schema,
    Key: answers.KeyAnswer,
    Alert: AlertView.schema,
    Supplier: answers.SupplierAnswer,
    Credential: answers.CredentialAnswer,
    CatalogModel: answers.ModelAnswer,
    RouteState: answers.RouteStateAnswer,
    Settlement: Settlement.schema,
    AuditEvent: AuditEvent.schema,
  }
  const schemas: Record<string, JsonSchema> = {
    PaymentImport: cleanSchema(PaymentImport.schema),
    Refund: cleanSchema(Refund.schema),
    TierEvaluation: cleanSchema(answers.TierEvaluationAnswer),
    Adjustment: cleanSchema(Adjustment.schema),
    IssuedKey: cleanSchema(answers.IssuedKeyAnswer),
    Webhook: cleanSchema(WebhookView.schema),
    IssuedWebhook: cleanSchema(IssuedWebhook.schema),
    Route: cleanSchema(answers.RouteAnswer),
    Deleted: cleanSchema(answers.DeletedAnswer),
    Findings: cleanSchema(FindingsAnswer),
    ModelComparison: cleanSchema(ModelComparisonAnswer),
    SupplyChanges: cleanSchema(SupplyChangesAnswer),
    System: cleanSchema(SystemStatus.schema),
  }
  for (const [name, item] of Object.entries(items)) {
    schemas[name] = cleanSchema(item)
    schemas[`${name}List`] = cleanSchema(answers.listOf(item))
  }
  return schemas
}
