import { FEMTO_PER_NANO } from '../../vocabulary/money.ts'
import { Price, type RateName } from '../../vocabulary/price.ts'
import type { ChargedLine, Settlement, SettlementView } from '../../vocabulary/settlement.ts'
import { wireName } from '../../vocabulary/shape.ts'
import { priceOf } from './charge.ts'
import { errorCodeOf } from './error-code.ts'
import { type ChargeLine, chargeLines } from './rates.ts'

/** A settlement with the calculation of its amount, line by line. */
export function viewSettlement(settlement: Settlement): SettlementView {
  const { usage, price } = settlement
  const errorCode = errorCodeOf(settlement)
  if (price === null) return { ...settlement, lines: [], priceTotalNano: 0n, errorCode }
  const lines = chargeLines(usage, price).map(viewLine)
  return { ...settlement, lines, priceTotalNano: priceOf(usage, price), errorCode }
}

function viewLine(line: ChargeLine): ChargedLine {
  const { quantity, rateNano, per, promptPartAbove } = line
  return {
    item: rateName(line),
    quantity,
    rateNano,
    per,
    promptPartAbove,
    amountFemto: amountOf(line),
  }
}

const MS_PER_MINUTE = 60_000n

function amountOf({ quantity, rateNano, per }: ChargeLine): bigint {
  const product = BigInt(quantity) * rateNano
  switch (per) {
    // The price of a token at a rate in nano-USDT per million is as many femto-USDT.
    case 'million':
      return product
    case 'unit':
      return product * FEMTO_PER_NANO
    // A sixtieth of a minute may have no end in decimals.
    case 'minute':
      return (product * FEMTO_PER_NANO + MS_PER_MINUTE / 2n) / MS_PER_MINUTE
  }
}

function rateName({ item, per }: ChargeLine): RateName {
  const name = `${item}Nano${per === 'million' ? 'PerMillion' : ''}` as keyof typeof Price.fields
  return wireName(name, Price.fields[name]) as RateName
}
