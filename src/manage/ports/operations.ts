import type {
  AccountChange,
  AccountListQuery,
  AccountView,
  TierAssignment,
  TierEvaluation,
} from '../../vocabulary/account.ts'
import type { AlertFilter, AlertRecord, IssuedWebhook, Webhook } from '../../vocabulary/alert.ts'
import type { IssuedKey, KeyChange, KeyListQuery, KeySettings, KeyView } from '../../vocabulary/api-key.ts'
import type {
  Adjustment,
  AdjustmentCreate,
  LedgerEntry,
  Payment,
  PaymentCreate,
  PaymentImport,
  PaymentLine,
  Receipt,
  Refund,
  RefundCreate,
} from '../../vocabulary/ledger.ts'
import type { RecordFields, RecordKind } from '../../vocabulary/records/record.ts'
import type { SettlementListFilter, SettlementView } from '../../vocabulary/settlement.ts'
import type {
  CredentialChange,
  CredentialSettings,
  CredentialView,
  Model,
  ModelListQuery,
  ModelSettings,
  Route,
  RouteIds,
  RouteSettings,
  RouteState,
  Supplier,
  SupplierListQuery,
  SupplierSettings,
  SupplyDocument,
} from '../../vocabulary/supply.ts'
import type { AuditFilter, AuditView, SearchHit } from '../../vocabulary/system.ts'
import type { ChannelOperations } from './alert-channels.ts'
import type { ExploreOperations } from './explore/explore.ts'
import type { LedgerOperations } from './ledger.ts'
import type { Listing, Page } from './page.ts'
import type { PriceOperations } from './prices.ts'
import type { RecordOperations } from './records.ts'
import type { RefusalOperations } from './refusals.ts'
import type { SinkOperations } from './sinks.ts'
import type { SupplyChanges, SupplyOptions } from './supply-application.ts'

/**
 * Everything an operator can do. Each change is stored with its audit event, then in force on the next request.
 * `actor` says who asked, for the audit. All throw a GatewayError: `not_found` for an unknown id,
 * `invalid_request` (with `param`) for a change that makes no sense.
 */
export interface Operations
  extends LedgerOperations,
    ExploreOperations,
    PriceOperations,
    RefusalOperations,
    SinkOperations,
    ChannelOperations {
  createAccount(input: { name: string; email: string | null }, actor: string): Promise<AccountView>
  listAccounts(page: Page, query?: AccountListQuery): Promise<Listing<AccountView>>
  findAccount(id: string): Promise<AccountView>
  changeAccount(id: string, change: AccountChange, actor: string): Promise<AccountView>
  /** Its keys are refused until it is reopened. */
  suspendAccount(id: string, reason: string, actor: string): Promise<AccountView>
  reopenAccount(id: string, actor: string): Promise<AccountView>
  /** Revokes its keys. Final: the account stays for the books. */
  closeAccount(id: string, reason: string, actor: string): Promise<AccountView>
  recordPayment(accountId: string, input: PaymentCreate, actor: string): Promise<Payment>
  /** Moves the balance, not the total paid; the same reference twice is one adjustment, none is always a new one. */
  recordAdjustment(accountId: string, input: AdjustmentCreate, actor: string): Promise<Adjustment>
  /** Lowers the balance, not the total paid; the same reference twice is one refund. */
  recordRefund(accountId: string, input: RefundCreate, actor: string): Promise<Refund>
  /** All lines or none. The refusal names every line at fault, up to a number of them. */
  importPayments(lines: readonly PaymentLine[], actor: string): Promise<PaymentImport>
  listPayments(accountId: string, page: Page): Promise<Listing<Payment>>
  /** What is printed about a payment. */
  findReceipt(accountId: string, paymentId: string): Promise<Receipt>
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
  /** Without an account, those of all accounts. */
  listKeys(accountId: string | null, page: Page, query?: KeyListQuery): Promise<Listing<KeyView>>
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

  listSuppliers(page: Page, query?: SupplierListQuery): Listing<Supplier>
  findSupplier(id: string): Supplier
  putSupplier(supplier: SupplierSettings, actor: string): Promise<Supplier>
  /** One of an account's own: refused when the id is another's, or leads where accounts may not send the gateway. */
  putOwnSupplier(supplier: SupplierSettings, actor: string): Promise<Supplier>
  /** Its credentials go with it. Refused while a route leads to it or a key names it. */
  deleteSupplier(id: string, actor: string): Promise<void>
  /** The same for an account's own, whose routes go with it: the account could not delete them. */
  deleteOwnSupplier(id: string, actor: string): Promise<void>
  addCredential(supplierId: string, input: CredentialSettings, actor: string): Promise<CredentialView>
  listCredentials(supplierId: string, page: Page): Listing<CredentialView>
  /** A new secret takes the place of the old one on the next request. */
  changeCredential(id: string, change: CredentialChange, actor: string): Promise<CredentialView>
  deleteCredential(id: string, actor: string): Promise<void>
  listModels(page: Page, query?: ModelListQuery): Listing<Model>
  findModel(id: string): Model
  putModel(model: ModelSettings, actor: string): Promise<Model>
  /** Refused while it has routes or a key's allowlist names it. */
  deleteModel(id: string, actor: string): Promise<void>
  putRoute(ids: RouteIds, settings: RouteSettings, actor: string): Promise<Route>
  deleteRoute(ids: RouteIds, actor: string): Promise<void>
  listRoutes(page: Page): Listing<RouteState>
  /** What applying the document would change. Throws RefusedSupply when it is wrong anywhere. */
  planSupply(document: SupplyDocument, options: SupplyOptions): SupplyChanges
  /**
   * Makes the supply what the document wants. A document that is wrong anywhere changes nothing; one that was applied
   * before changes nothing either, and leaves no audit event. What it does not name stays as it is.
   */
  applySupply(document: SupplyDocument, options: SupplyOptions): Promise<SupplyChanges>

  /** What can be done with one kind of plain record. */
  records<F extends RecordFields>(kind: RecordKind<string, F>): RecordOperations<F>

  listSettlements(filter: SettlementListFilter, page: Page): Promise<Listing<SettlementView>>
  findSettlement(requestId: string): Promise<SettlementView>
  /** Accounts, keys, models and suppliers whose name or id contains the text, and the request of this id. */
  search(question: string): Promise<readonly SearchHit[]>
  listAuditEvents(page: Page, filter?: AuditFilter): Promise<Listing<AuditView>>
}
