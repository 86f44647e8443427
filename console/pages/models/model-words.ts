import type { Constraint } from '../../../src/vocabulary/account.ts'
import type { BindingLimit, Model } from '../../api/wire.ts'
import { unitPriceOf } from '../../parts/prices/price-words.ts'
import { formatNumber } from '../../parts/text/format.ts'

const CONSTRAINTS: Readonly<Record<Constraint, string>> = {
  account: 'This is your account’s limit, which all your keys share.',
  key: 'This is the key’s limit.',
  model: 'The operator set this limit for the model. All customers share it.',
  routes: 'This is the combined limit of this model’s suppliers. All customers share it.',
  credentials: 'This is the combined limit of the credentials at the suppliers. All customers share it.',
}

/** "60 requests a minute". */
export function describeLimit(limit: BindingLimit | null, unit: 'requests' | 'tokens'): string {
  return limit === null ? 'no limit' : `${formatNumber(limit.value)} ${unit} a minute`
}

/** Explains where a limit comes from and how to raise it. */
export function explainLimit(limit: BindingLimit | null): string {
  if (limit === null) return 'Neither your account nor the suppliers limit it.'
  if (limit.value === 0) return 'No supplier can serve it right now: none has a usable credential.'
  const advice =
    limit.constraint === 'account'
      ? ' A higher tier raises it.'
      : ' Less may be available when others are using it.'
  return `${CONSTRAINTS[limit.constraint]}${advice}`
}

export interface ModelFilters {
  readonly q: string
  readonly kind: string
  readonly format: string
  readonly supplier: string
  /** `yes` for models that are available now. */
  readonly routeable: string
  readonly sort: string
}

export const NO_FILTERS: ModelFilters = {
  q: '',
  kind: '',
  format: '',
  supplier: '',
  routeable: '',
  sort: 'name',
}

export function filterModels(models: readonly Model[], filters: ModelFilters): Model[] {
  const words = filters.q.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (model: Model) => {
    const text = `${model.id} ${model.display_name} ${model.description} ${model.owned_by}`.toLowerCase()
    return (
      words.every((word) => text.includes(word)) &&
      holds(model.kinds, filters.kind) &&
      holds(model.formats, filters.format) &&
      holds(model.suppliers, filters.supplier) &&
      (filters.routeable === '' || model.routeable)
    )
  }
  return models.filter(fits).sort(ORDERS[filters.sort] ?? byName)
}

function holds(values: readonly string[], sought: string): boolean {
  return sought === '' || values.includes(sought)
}

type Order = (one: Model, other: Model) => number

const byName: Order = (one, other) => nameOf(one).localeCompare(nameOf(other))

/** Models that are not sold by tokens come last: their prices cannot be compared with the others. */
function byPrice(side: 'input' | 'output'): Order {
  const priceOf = ({ price }: Model) => (unitPriceOf(price) === null ? Number(price[side]) : Number.MAX_VALUE)
  return (one, other) => priceOf(one) - priceOf(other) || byName(one, other)
}

const ORDERS: Readonly<Record<string, Order>> = {
  name: byName,
  input: byPrice('input'),
  output: byPrice('output'),
  context: (one, other) =>
    (other.input_token_limit ?? 0) - (one.input_token_limit ?? 0) || byName(one, other),
}

export function nameOf({ display_name, id }: Model): string {
  return display_name || id
}
