import { Type } from 'typebox'
import { amount, exactAmount, integer, json, text, time } from '../../../vocabulary/field.ts'
import { type FemtoUsdt, formatUsdt, type NanoUsdt } from '../../../vocabulary/money.ts'
import type { ChargedLine, Settlement } from '../../../vocabulary/settlement.ts'
import type { ExportColumn } from '../export-columns.ts'
import { endedAtMs } from '../period.ts'
import { viewSettlement } from '../view-settlement.ts'

/** One charge of a settlement, as a line of a FOCUS export. */
export interface FocusLine {
  readonly settlement: Settlement
  readonly line: ChargedLine
  /** Its part of what the account paid. The parts of a settlement add up to its amount. */
  readonly billedNano: NanoUsdt
}

/** The charges of a settlement; none when nothing was priced. */
export function focusLines(settlement: Settlement): FocusLine[] {
  const { lines } = viewSettlement(settlement)
  const totalFemto = lines.reduce((sum, { amountFemto }) => sum + amountFemto, 0n)
  let reachedFemto = 0n
  let billedNano = 0n
  return lines.map((line) => {
    reachedFemto += line.amountFemto
    // Each line takes what the lines so far should cost, less what they took, so that rounding adds up.
    const dueNano = totalFemto === 0n ? 0n : (settlement.amountNano * reachedFemto) / totalFemto
    const part = dueNano - billedNano
    billedNano = dueNano
    return { settlement, line, billedNano: part }
  })
}

const NAME = 'Turnpike'
const MILLION = 1_000_000n

/** The unit that a quantity is counted in. */
function unitOf({ item, per }: ChargedLine): string {
  if (per === 'minute') return 'Milliseconds'
  if (item === 'image') return 'Images'
  if (item === 'character') return 'Characters'
  return per === 'million' ? 'Tokens' : 'Requests'
}

function pricingUnitOf(line: ChargedLine): string {
  if (line.per === 'minute') return 'Minutes'
  return line.per === 'million' ? `1000000 ${unitOf(line)}` : unitOf(line)
}

/** The quantity in pricing units, as a decimal number. */
function pricingQuantityOf({ quantity, per }: ChargedLine): string {
  if (per === 'unit') return String(quantity)
  const nano = BigInt(quantity) * 1_000_000_000n
  return formatUsdt(per === 'million' ? nano / MILLION : nano / 60_000n)
}

function monthStartMs(timeMs: number, months = 0): number {
  const time = new Date(timeMs)
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months, 1)
}

const SECOND_MS = 1_000

// FOCUS has whole seconds only.
const secondBefore = (timeMs: number) => Math.floor(timeMs / SECOND_MS) * SECOND_MS
const secondAfter = (timeMs: number) => Math.ceil(timeMs / SECOND_MS) * SECOND_MS

const FEMTO_PER_NANO = 1_000_000n
const BASIS = 10_000n

/** A price or an amount with the mark-up of the account. */
function contracted(femto: FemtoUsdt, { markupBasisPoints }: Settlement): FemtoUsdt {
  return (femto * (BASIS + BigInt(markupBasisPoints ?? 0))) / BASIS
}

function constant(name: string, value: string): ExportColumn<FocusLine> {
  return { name, field: text().example(value), value: () => value }
}

function textOf(
  name: string,
  example: string,
  value: (line: FocusLine) => string | null,
): ExportColumn<FocusLine> {
  return { name, field: text().nullable().example(example), value }
}

const nothing = (name: string) => textOf(name, '', () => null)

function billed(name: string): ExportColumn<FocusLine> {
  return { name, field: amount(), value: ({ billedNano }) => billedNano }
}

function contractedUnitPrice(name: string): ExportColumn<FocusLine> {
  return {
    name,
    field: exactAmount(),
    value: ({ settlement, line }) => contracted(line.rateNano * FEMTO_PER_NANO, settlement),
  }
}

const TAGS = json<object>(Type.Object({}), { session: 'build-42' })

/** The columns of FOCUS 1.2 that apply, then our own. Add new columns at the end. */
export const FOCUS_EXPORT: readonly ExportColumn<FocusLine>[] = [
  billed('BilledCost'),
  textOf('BillingAccountId', 'acc_0123456789abcdef', ({ settlement }) => settlement.accountId),
  nothing('BillingAccountName'),
  constant('BillingCurrency', 'USD'),
  {
    name: 'BillingPeriodEnd',
    field: time(),
    value: ({ settlement }) => monthStartMs(endedAtMs(settlement), 1),
  },
  {
    name: 'BillingPeriodStart',
    field: time(),
    value: ({ settlement }) => monthStartMs(endedAtMs(settlement)),
  },
  constant('ChargeCategory', 'Usage'),
  nothing('ChargeClass'),
  textOf('ChargeDescription', 'gpt-5: input', ({ settlement, line }) => `${settlement.model}: ${line.item}`),
  constant('ChargeFrequency', 'Usage-Based'),
  {
    name: 'ChargePeriodEnd',
    field: time(),
    // A period has a length, also that of a request that took no time.
    value: ({ settlement }) =>
      Math.max(secondAfter(endedAtMs(settlement)), secondBefore(settlement.startedAtMs) + SECOND_MS),
  },
  {
    name: 'ChargePeriodStart',
    field: time(),
    value: ({ settlement }) => secondBefore(settlement.startedAtMs),
  },
  { name: 'ConsumedQuantity', field: integer().example(1_200), value: ({ line }) => line.quantity },
  textOf('ConsumedUnit', 'Tokens', ({ line }) => unitOf(line)),
  {
    name: 'ContractedCost',
    field: exactAmount(),
    value: ({ settlement, line }) => contracted(line.amountFemto, settlement),
  },
  billed('EffectiveCost'),
  constant('InvoiceIssuerName', NAME),
  { name: 'ListCost', field: exactAmount(), value: ({ line }) => line.amountFemto },
  { name: 'ListUnitPrice', field: amount(), value: ({ line }) => line.rateNano },
  constant('PricingCategory', 'Standard'),
  constant('PricingCurrency', 'USDT'),
  textOf('PricingQuantity', '0.0012', ({ line }) => pricingQuantityOf(line)),
  textOf('PricingUnit', '1000000 Tokens', ({ line }) => pricingUnitOf(line)),
  constant('ProviderName', NAME),
  constant('PublisherName', NAME),
  textOf('ResourceId', 'gpt-5', ({ settlement }) => settlement.model),
  textOf('ResourceName', 'gpt-5', ({ settlement }) => settlement.model),
  constant('ResourceType', 'Model'),
  constant('ServiceCategory', 'AI and Machine Learning'),
  constant('ServiceName', 'Model inference'),
  constant('ServiceSubcategory', 'Generative AI'),
  textOf('SkuId', 'gpt-5/input', ({ settlement, line }) => `${settlement.model}/${line.item}`),
  textOf('SkuPriceId', 'gpt-5/input/1.25', ({ settlement, line }) => skuPriceId(settlement, line)),
  textOf('SubAccountId', 'key_0123456789abcdef', ({ settlement }) => settlement.keyId),
  nothing('SubAccountName'),
  { name: 'Tags', field: TAGS, value: ({ settlement }) => tagsOf(settlement) },
  textOf('x_RequestId', 'req_0123456789abcdef', ({ settlement }) => settlement.requestId),
  textOf('x_Outcome', 'completed', ({ settlement }) => settlement.outcome),
  contractedUnitPrice('ContractedUnitPrice'),
  textOf('SkuMeter', 'input', ({ line }) => line.item),
  nothing('SkuPriceDetails'),
  contractedUnitPrice('PricingCurrencyContractedUnitPrice'),
  billed('PricingCurrencyEffectiveCost'),
  { name: 'PricingCurrencyListUnitPrice', field: amount(), value: ({ line }) => line.rateNano },
]

function skuPriceId({ model }: Settlement, { item, rateNano }: ChargedLine): string {
  return `${model}/${item}/${formatUsdt(rateNano)}`
}

function tagsOf({ session, agent, parentAgent }: Settlement): object {
  return {
    ...(session !== null && { session }),
    ...(agent !== null && { agent }),
    ...(parentAgent !== null && { parent_agent: parentAgent }),
  }
}
