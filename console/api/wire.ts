/** The JSON the gateway sends and accepts. Amounts are decimal strings in USDT, times are RFC 3339. */

import type * as diagnostics from '../../src/manage/ports/diagnostics.ts'
import type * as prices from '../../src/manage/ports/prices.ts'
import type { ShownToMembers } from '../../src/rules/catalog/conceal-supply.ts'
import type * as account from '../../src/vocabulary/account.ts'
import type * as overview from '../../src/vocabulary/account.ts'
import type * as alert from '../../src/vocabulary/alert.ts'
import type * as key from '../../src/vocabulary/api-key.ts'
import type * as ledger from '../../src/vocabulary/ledger.ts'
import type * as channel from '../../src/vocabulary/observability/alert-channel.ts'
import type * as session from '../../src/vocabulary/observability/client-session.ts'
import type * as dashboard from '../../src/vocabulary/observability/dashboard.ts'
import type * as explore from '../../src/vocabulary/observability/explore.ts'
import type * as read from '../../src/vocabulary/observability/read-bodies.ts'
import type * as refusal from '../../src/vocabulary/observability/refusal.ts'
import type * as sink from '../../src/vocabulary/observability/sink.ts'
import type * as invite from '../../src/vocabulary/people/invite.ts'
import type * as price from '../../src/vocabulary/price.ts'
import type * as alias from '../../src/vocabulary/records/alias.ts'
import type * as markUp from '../../src/vocabulary/records/mark-up.ts'
import type * as payment from '../../src/vocabulary/records/payment-method.ts'
import type * as tier from '../../src/vocabulary/records/tier.ts'
import type * as wildcard from '../../src/vocabulary/records/wildcard.ts'
import type * as body from '../../src/vocabulary/settlement.ts'
import type * as settlement from '../../src/vocabulary/settlement.ts'
import type { Sent, Shown } from '../../src/vocabulary/shape.ts'
import type * as supply from '../../src/vocabulary/supply.ts'
import type * as audit from '../../src/vocabulary/system.ts'
import type * as system from '../../src/vocabulary/system.ts'
import type * as user from '../../src/vocabulary/user.ts'

export type Account = Shown<typeof account.AccountView>
export type TierAssignment = NonNullable<Account['tier_assignment']>

export type KeySettings = Shown<typeof key.KeySettings>
export type ApiKey = Shown<typeof key.KeyView>
/** A new or rotated key, with its secret. */
export type IssuedKey = Shown<typeof key.IssuedKey>
export type PlaygroundKey = Shown<typeof user.IssuedPlaygroundKey>

export type Overview = ShownToMembers<Shown<typeof overview.Overview>>
/** Of all accounts, with what suppliers charge. */
export type OperatorUsage = Shown<typeof settlement.UsageView>
export type UsageRow = ShownToMembers<Shown<typeof overview.AccountUsagePoint>>
/** A model as available to one account. */
export type Model = Shown<typeof overview.AccountModel>
export type BindingLimit = NonNullable<Model['limits']['rpm']>

export type Settlement = ShownToMembers<Shown<typeof settlement.SettlementView>>
export type Attempt = Settlement['attempts'][number]
export type Bodies = Shown<typeof body.KeptContent>
export type BodyStorage = Shown<typeof body.BodyStorageView>
export type Refusal = Shown<typeof refusal.Refusal>
export type ClientSession = ShownToMembers<Shown<typeof session.ClientSession>>
export type ReadBodies = Shown<typeof read.ReadBodies>
export type SaidPart = NonNullable<ReadBodies['turns']>[number]['parts'][number]
export type FoundBodies = Shown<typeof read.FoundBodies>
export type RefusalTotal = Shown<typeof refusal.RefusalTotal>
export type LedgerEntry = Shown<typeof ledger.LedgerEntry>
export type Payment = Shown<typeof ledger.Payment>
export type Receipt = Shown<typeof ledger.Receipt>
export type Alias = Shown<typeof alias.Alias>
export type Wildcard = Shown<typeof wildcard.Wildcard>
export type MarkUp = Shown<typeof markUp.MarkUp>
export type Tier = Shown<typeof tier.Tier>
export type PaymentMethod = Shown<typeof payment.PaymentMethod>
export type PaymentImport = Shown<typeof ledger.PaymentImport>

export type Alert = Shown<typeof alert.AlertView>
export type OperatorAlert = Shown<typeof channel.OperatorAlert>
export type AlertChannel = Shown<typeof channel.AlertChannelView>
export type ChannelTest = Shown<typeof channel.ChannelTest>
export type Sink = Shown<typeof sink.SinkView>
export type WebhookPut = Sent<typeof alert.WebhookPut>
export type Webhook = Shown<typeof alert.WebhookView>
/** The only response with the secret. */
export type IssuedWebhook = Shown<typeof alert.IssuedWebhook>
export type WebhookTest = Shown<typeof alert.WebhookTest>

export type Supplier = Shown<typeof supply.Supplier>
export type OwnSupplier = Shown<typeof supply.OwnSupplier>
export type OwnSupplierTest = Shown<typeof diagnostics.OwnSupplierTest>
export type OwnSupplierPut = Sent<typeof supply.OwnSupplierPut>
export type OwnCredential = Pick<Sent<typeof supply.CredentialCreate>, 'secret' | 'label'>
export type Credential = Shown<typeof supply.CredentialView>
export type CatalogModel = Shown<typeof supply.Model>
/** Includes the health of its credentials. */
export type Route = Shown<typeof supply.RouteState>
export type CredentialStanding = Route['credentials'][number]
export type Price = Shown<typeof price.Price>
export type PriceVariant = NonNullable<Price['variants']>[number]
export type PriceDiff = Shown<typeof prices.PriceDiff>
export type PriceDifference = PriceDiff['data'][number]
export type PricesApply = Sent<typeof prices.PricesApply.draft>
export type PricesApplied = Shown<typeof prices.PricesApplied>
export type PriceSchedule = Sent<typeof prices.PriceSchedule.draft>
export type ModelOffer = Shown<typeof prices.ModelOffer>
export type ModelsImport = Sent<typeof prices.ModelsImport.draft>
export type ModelsImported = Shown<typeof prices.ModelsImported>
export type Finding = Shown<typeof diagnostics.Findings>['data'][number]
export type ModelComparison = Shown<typeof diagnostics.ModelComparison>

export type Session = Shown<typeof user.SessionState>
export type SignedInUser = NonNullable<Session['user']>
export type Membership = Session['accounts'][number]
export type SignIn = Sent<typeof user.SignIn>
export type SignUp = Sent<typeof user.SignUp>
export type OpenSession = Shown<typeof user.SessionView>
export type PasswordChange = Sent<typeof user.PasswordChange>
/** The password or a second-factor code. */
export type FactorProof = Sent<typeof user.FactorProof>
export type FactorSecret = Shown<typeof user.FactorSecret>
export type RecoveryCodes = Shown<typeof user.RecoveryCodes>
export type MemberAdd = Sent<typeof user.MemberAdd>
export type Member = Shown<typeof user.Member>
export type Invite = Shown<typeof invite.Invite>
export type InviteCreate = Sent<typeof invite.InviteCreate>
export type IssuedInvite = Shown<typeof invite.IssuedInvite>
export type InviteOffer = Shown<typeof invite.InviteOffer>
export type InviteJoin = Sent<typeof invite.InviteJoin>
export type PasswordRenewal = Sent<typeof invite.PasswordRenewal>
/** As operators see them. */
export type User = Shown<typeof user.UserView>
/** The response to creating a user or resetting a password. Only it contains the password. */
export type IssuedUser = Shown<typeof user.IssuedUser>

export type AuditEvent = Shown<typeof audit.AuditView>
export type Dashboard = Shown<typeof dashboard.Dashboard>
export type SupplierHealth = Dashboard['suppliers'][number]
export type SearchHit = Shown<typeof system.SearchHit>
export type SystemStatus = Shown<typeof system.SystemStatus>

export type Explored = Shown<typeof explore.ExploreAnswer>
export type ExploredSeries = Explored['series'][number]
export type SavedView = Shown<typeof explore.SavedView>
