import type { Standing } from '../../rules/routing/standing.ts'
import type { AccountChange, AccountView, TierAssignment, TierEvaluation } from '../../vocabulary/account.ts'
import type { AlertFilter, AlertRecord, IssuedWebhook, Webhook } from '../../vocabulary/alert.ts'
import type { IssuedKey, KeyChange, KeySettings, KeyView } from '../../vocabulary/api-key.ts'
import type { AuditEvent } from '../../vocabulary/audit-event.ts'
import type {
  Adjustment,
  LedgerEntry,
  Payment,
  PaymentCreate,
  PaymentImport,
  PaymentLine,
  Refund,
  RefundCreate,
} from '../../vocabulary/ledger.ts'
import type { Settlement, SettlementListFilter } from '../../vocabulary/settlement.ts'
import type {
  Credential,
  CredentialState,
  Format,
  Model,
  Price,
  Route,
  Supplier,
} from '../../vocabulary/supply.ts'
import type { SupplyDocument } from '../../vocabulary/supply-document.ts'
import type { BookOperations } from './books.ts'
import type { Listing, Page } from './storage.ts'
import type { SupplyChanges, SupplyOptions } from './supply-application.ts'

export interface CredentialSettings {
  readonly label: string | null
  readonly rpm: number | null
  readonly tpm: number | null
  readonly weight: number
  readonly state: CredentialState
}

export interface RouteSettings {
  readonly upstreamModel: string
  readonly formats: readonly Format[] | null
  readonly price: Price | null
  readonly rpm: number | null
  readonly tpm: number | null
  readonly priority: number
  readonly enabled: boolean
}

/** A route's state now, for each credential that can serve it. */
export interface RouteView {
  readonly route: Route
  readonly credentials: readonly CredentialHealth[]
}

export interface CredentialHealth {
  readonly credential: Credential
  readonly standing: Standing
  /** Requests and tokens left in the credential's own window; null when it has no such limit. */
  readonly remainingRequests: number | null
  readonly remainingTokens: number | null
}

/**
 * Everything an operator can do. Each change is stored with its audit event, then in force on the next request.
 * `actor` says who asked, for the audit. All throw a GatewayError: `not_found` for an unknown id,
 * `invalid_request` (with `param`) for a change that makes no sense.
 */
export interface Operations extends BookOperations {
  createAccount(input: { name: string; email: string | null }, actor: string): Promise<AccountView>
  listAccounts(page: Page): Promise<Listing<AccountView>>
  findAccount(id: string): Promise<AccountView>
  changeAccount(id: string, change: AccountChange, actor: string): Promise<AccountView>
  recordPayment(accountId: string, input: PaymentCreate, actor: string): Promise<Payment>
  /** Moves the balance, not the total paid; the same reference twice is one adjustment, none is always a new one. */
  recordAdjustment(
    accountId: string,
    input: Pick<Adjustment, 'amountNano' | 'reference' | 'reason'>,
    actor: string,
  ): Promise<Adjustment>
  /** Lowers the balance, not the total paid; the same reference twice is one refund. */
  recordRefund(accountId: string, input: RefundCreate, actor: string): Promise<Refund>
  /** All lines or none. The refusal names every line at fault, up to a number of them. */
  importPayments(lines: readonly PaymentLine[], actor: string): Promise<PaymentImport>
  listPayments(accountId: string, page: Page): Promise<Listing<Payment>>
  listLedger(accountId: string, page: Page): Promise<Listing<LedgerEntry>>
  /** Raises the earned tier of every account that has paid for a higher one, and ends assignments that are over. */
  evaluateTiers(actor: string): Promise<TierEvaluation>
  assignTier(
    accountId: string,
    change: Omit<TierAssignment, 'assignedBy'>,
    actor: string,
  ): Promise<AccountView>
  endTierAssignment(accountId: string, actor: string): Promise<AccountView>

  createKey(accountId: string, settings: KeySettings, actor: string): Promise<IssuedKey>
  listKeys(accountId: string, page: Page): Promise<Listing<KeyView>>
  findKey(id: string): Promise<KeyView>
  changeKey(id: string, change: KeyChange, actor: string): Promise<KeyView>
  rotateKey(id: string, graceSeconds: number, actor: string): Promise<IssuedKey>
  revokeKey(id: string, actor: string): Promise<KeyView>

  listAlerts(filter: AlertFilter, page: Page): Promise<Listing<AlertRecord>>
  findWebhook(accountId: string): Promise<Webhook>
  /** An account's first webhook gets a secret; a later one goes on with it. */
  putWebhook(
    accountId: string,
    input: Pick<Webhook, 'url' | 'enabled'>,
    actor: string,
  ): Promise<IssuedWebhook>
  deleteWebhook(accountId: string, actor: string): Promise<void>

  listSuppliers(page: Page): Listing<Supplier>
  findSupplier(id: string): Supplier
  putSupplier(supplier: Supplier, actor: string): Promise<Supplier>
  /** One of an account's own: refused when the id is another's, or leads where accounts may not send the gateway. */
  putOwnSupplier(supplier: Supplier, actor: string): Promise<Supplier>
  /** Its routes and credentials go with it. Refused while a key names it. */
  deleteSupplier(id: string, actor: string): Promise<void>
  addCredential(
    supplierId: string,
    input: CredentialSettings & { secret: string },
    actor: string,
  ): Promise<Credential>
  listCredentials(supplierId: string, page: Page): Listing<Credential>
  /** A new secret takes the place of the old one on the next request. */
  changeCredential(
    id: string,
    change: Partial<CredentialSettings & { secret: string }>,
    actor: string,
  ): Promise<Credential>
  deleteCredential(id: string, actor: string): Promise<void>
  listModels(page: Page): Listing<Model>
  findModel(id: string): Model
  putModel(model: Omit<Model, 'createdAtMs'>, actor: string): Promise<Model>
  putRoute(
    ids: { modelId: string; supplierId: string },
    settings: RouteSettings,
    actor: string,
  ): Promise<Route>
  listRoutes(page: Page): Listing<RouteView>
  /** What applying the document would change. Throws RefusedSupply when it is wrong anywhere. */
  planSupply(document: SupplyDocument, options: SupplyOptions): SupplyChanges
  /** Makes the supply what the document wants; a wrong document changes nothing. */
  applySupply(document: SupplyDocument, options: SupplyOptions): Promise<SupplyChanges>

  listSettlements(filter: SettlementListFilter, page: Page): Promise<Listing<Settlement>>
  findSettlement(requestId: string): Promise<Settlement>
  listAuditEvents(page: Page): Promise<Listing<AuditEvent>>
}
