import { FAILURE_KINDS, type FailureKind } from '../../errors/supplier-failure.ts'
import { choice, integer, list, text } from '../../vocabulary/field.ts'
import { PlatformFinding } from '../../vocabulary/observability/dashboard.ts'
import { shape, type Value } from '../../vocabulary/shape.ts'
import { CredentialView, type Model, Route } from '../../vocabulary/supply.ts'
import { FORMATS } from '../../vocabulary/words.ts'

/** Questions that the configuration cannot answer. */
export interface Diagnostics {
  /** Calls every supplier once with each of its credentials. */
  /** Only this supplier when one is named. */
  examineSupply(supplierId?: string): Promise<readonly Finding[]>
  /** Calls a supplier of an account once with each of its credentials, in one of these ways. */
  examineOwn(supplierId: string, ways: readonly OwnWay[]): Promise<readonly Finding[]>
  /** What failed or was lost on its way to sinks, operators and the list of refusals. */
  examinePlatform(): Promise<readonly PlatformFinding[]>
  /**
   * Compares what is configured with the supplier's own list. Throws a GatewayError: `not_found` for an unknown
   * supplier, `invalid_request` when it cannot be asked, `provider_error` when it does not answer.
   */
  compareModels(supplierId: string): Promise<ModelComparison>
}

/** A model that a supplier of an account serves, and how. */
export interface OwnWay {
  readonly model: Model
  readonly route: Route
}

/** What became of one visit, with as much of the credential as people need to tell it from others. */
const Finding = CredentialView.pick('Finding', ['label', 'lastFour']).with('Finding', {
  supplierId: Route.fields.supplierId,
  credentialId: text().nullable().note('Null when the finding is about the supplier as a whole.'),
  modelId: Route.fields.modelId.nullable().note('The model that was asked; null when none was.'),
  format: choice(FORMATS).nullable(),
  result: choice(['works', 'skipped', 'not_configured', ...FAILURE_KINDS.map(findingOf)]).note(
    '`skipped`: disabled, so not called. `not_configured`: something is missing to call it. Otherwise the reason for the failure.',
  ),
  status: integer().nullable().note('HTTP status; null when none was received.').example(200),
  latencyMs: integer().nullable().example(420),
  hint: text(2_000, { min: 0 }).note('What to do about it; empty when there is nothing to do.').example(''),
})
export type Finding = Value<typeof Finding>

export const Findings = shape('Findings', {
  data: list(Finding.field),
  platform: list(PlatformFinding.field).note(
    'Problems with sinks, alert channels and the list of refusals; empty when there are none.',
  ),
})

/** Whether the credentials of an account's own supplier work, and what it serves. */
export const OwnSupplierTest = shape('OwnSupplierTest', {
  data: list(Finding.field),
  models: list(text()).note('The models of this gateway that it serves.').example(['gpt-5']),
})
export type OwnSupplierTest = Value<typeof OwnSupplierTest>

/** The word of a finding for a supplier that did not answer. */
export function findingOf(kind: FailureKind): Underscored<FailureKind> {
  return kind.replaceAll('-', '_') as Underscored<FailureKind>
}

type Underscored<Word extends string> = Word extends `${infer Head}-${infer Tail}` ? `${Head}_${Tail}` : Word

const names = list(text()).example(['gpt-5'])

/** All are names the supplier uses. */
export const FindingFilter = { supplier: text().note('Only this supplier.').example('openai') }

export const ModelComparison = shape('ModelComparison', {
  supplierId: Route.fields.supplierId,
  offered: names.note('What the supplier lists.'),
  configured: names.note('What routes to this supplier ask for.'),
  catalog: names.note('What the built-in catalog knows of a vendor of this name.'),
  missing: names.note('Configured and not offered: requests for these will fail.'),
  unpriced: names.note('Configured without a price: requests do not use these.'),
  unknown: names.note('Offered and not configured: no client can ask for these.'),
})
export type ModelComparison = Value<typeof ModelComparison>
