import { FEMTO_PER_NANO } from '../../vocabulary/money.ts'
import { Price, type RateName } from '../../vocabulary/price.ts'
import type { ChargedLine, Settlement, SettlementView } from '../../vocabulary/settlement.ts'
import { wireName } from '../../vocabulary/shape.ts'
import { priceOf } from './charge.ts'
import { type ChargeLine, chargeLines } from './rates.ts'

/** A settlement with the calculation of its amount, line by line. */
export function viewSettlement(settlement: Settlement): SettlementView {
  const { usage, price } = settlement
  if (price === null) return { ...settlement, lines: [], priceTotalNano: 0n }
  const lines = chargeLines(usage, price).map(viewLine)
  return { ...settlement, lines, priceTotalNano: priceOf(usage, price) }
}

function viewLine(line: ChargeLine): ChargedLine {
  const { quantity, rateNano, per, promptPartAbove } = line
  // The price of a token at a rate in nano-USDT per million is as many femto-USDT.
  const scale = per === 'million' ? 1n : FEMTO_PER_NANO
  return {
    item: rateName(line),
    quantity,
    rateNano,
    per,
    promptPartAbove,
    amountFemto: BigInt(quantity) * rateNano * scale,
  }
}

function rateName({ item, per }: ChargeLine): RateName {
  const name = `${item}Nano${per === 'million' ? 'PerMillion' : ''}` as keyof typeof Price.fields
  return wireName(name, Price.fields[name]) as RateName
}
