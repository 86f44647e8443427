import { bookSchemas } from './api-document-books.ts'
import { userSchemas } from './api-document-users.ts'
import { cleanSchema, type JsonSchema, withNotes } from './edges/api-docs/clean-schema.ts'
import * as answers from './edges/management-api/operator/answer-schema.ts'
import { Findings, ModelComparison } from './gateway/ports/diagnostics.ts'
import {
  AccountChange,
  AccountCreate,
  AccountView,
  TierAssign,
  TierEvaluation,
} from './vocabulary/account.ts'
import { AlertView, IssuedWebhook, WebhookPut, WebhookView } from './vocabulary/alert.ts'
import * as keys from './vocabulary/api-key.ts'
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
import * as supply from './vocabulary/supply.ts'
import { SystemStatus } from './vocabulary/system.ts'

/** Bodies and answers of the operator API, by the name the document gives them. */
export function operatorSchemas(): Record<string, JsonSchema> {
  return { ...bodySchemas(), ...answerSchemas(), ...bookSchemas(), ...userSchemas() }
}

function body(schema: object, notes: Readonly<Record<string, string>> = {}): JsonSchema {
  return withNotes(cleanSchema(schema), notes)
}

function bodySchemas(): Record<string, JsonSchema> {
  return {
    AccountCreate: body(AccountCreate.schema),
    AccountChange: body(AccountChange.schema),
    ...moneySchemas(),
    TierAssign: body(TierAssign.schema),
    KeyCreate: body(keys.KeyCreate.schema),
    KeyChange: body(keys.KeyChange.schema),
    KeyRotate: body(keys.KeyRotate.schema),
    SupplierPut: body(supply.SupplierPut.schema),
    CredentialCreate: body(supply.CredentialCreate.schema),
    CredentialChange: body(supply.CredentialChange.schema),
    ModelPut: body(supply.ModelPut.schema),
    RoutePut: body(supply.RoutePut.schema),
    SupplyApply: body(supply.SupplyApply.schema),
  }
}

function moneySchemas(): Record<string, JsonSchema> {
  const all = [PaymentCreate, PaymentImportCreate, PaymentEvent, RefundCreate, AdjustmentCreate, WebhookPut]
  return Object.fromEntries(all.map(({ name, schema }) => [name, cleanSchema(schema)]))
}

function answerSchemas(): Record<string, JsonSchema> {
  const items = {
    Account: AccountView.schema,
    Payment: Payment.schema,
    LedgerEntry: LedgerEntry.schema,
    Key: keys.KeyView.schema,
    Alert: AlertView.schema,
    Supplier: supply.Supplier.schema,
    Credential: supply.CredentialView.schema,
    CatalogModel: supply.Model.schema,
    RouteState: supply.RouteState.schema,
    Settlement: Settlement.schema,
    AuditEvent: AuditEvent.schema,
  }
  const schemas: Record<string, JsonSchema> = {
    PaymentImport: cleanSchema(PaymentImport.schema),
    Refund: cleanSchema(Refund.schema),
    TierEvaluation: cleanSchema(TierEvaluation.schema),
    Adjustment: cleanSchema(Adjustment.schema),
    IssuedKey: cleanSchema(keys.IssuedKey.schema),
    Webhook: cleanSchema(WebhookView.schema),
    IssuedWebhook: cleanSchema(IssuedWebhook.schema),
    Route: cleanSchema(supply.Route.schema),
    Deleted: cleanSchema(answers.DeletedAnswer),
    Findings: cleanSchema(Findings.schema),
    ModelComparison: cleanSchema(ModelComparison.schema),
    SupplyChanges: cleanSchema(supply.SupplyChanges.schema),
    System: cleanSchema(SystemStatus.schema),
  }
  for (const [name, item] of Object.entries(items)) {
    schemas[name] = cleanSchema(item)
    schemas[`${name}List`] = cleanSchema(answers.listOf(item))
  }
  return schemas
}
