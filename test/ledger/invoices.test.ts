import { describe, expect, test } from 'bun:test'
import type { Usage } from '../../src/conversation/usage.ts'
import { images } from '../../src/protocols/images/index.ts'
import { protocolOf } from '../../src/protocols/index.ts'
import { chargeFor } from '../../src/rules/ledger/charge.ts'
import { type ChargeLine, chargeLines } from '../../src/rules/ledger/rates.ts'
import { imageUsage } from '../../src/serve/families/images/plan-images.ts'
import { formatUsdt, parseUsdt } from '../../src/vocabulary/money.ts'
import { Price } from '../../src/vocabulary/price.ts'
import { asObject } from '../../src/wire/json-values.ts'
import { ANTHROPIC_INVOICES } from './invoices/anthropic.ts'
import { COMPATIBLE_INVOICES } from './invoices/compatible.ts'
import { GOOGLE_INVOICES } from './invoices/google.ts'
import type { Invoice } from './invoices/invoice.ts'
import { OPENAI_INVOICES } from './invoices/openai.ts'

const INVOICES = [...OPENAI_INVOICES, ...ANTHROPIC_INVOICES, ...GOOGLE_INVOICES, ...COMPATIBLE_INVOICES]

const NOON = '2026-11-17T12:00:00Z'

/** As the gateway reads it, from the bytes of the reply to what is charged. */
function usageOf({ format, reply, requested = {} }: Invoice): Usage {
  const answer = format === 'images' ? images.decodeReply(reply) : null
  const usage =
    answer === null
      ? protocolOf(format)?.readReply(reply)?.usage
      : imageUsage(answer, answer.pictures.length, requested)
  if (!usage) throw new Error('the reply has no usage')
  return usage
}

function itemOf({ item, quantity, rateNano }: ChargeLine) {
  return [item, [quantity, formatUsdt(rateNano)]] as const
}

describe('we charge what the vendor charges, to the last digit', () => {
  for (const invoice of INVOICES) {
    test(invoice.name, () => {
      const price = Price.draft.read(invoice.price as Parameters<typeof Price.draft.read>[0])
      const usage = usageOf(invoice)
      const startedAtMs = Date.parse(invoice.startedAt ?? NOON)
      const charge = chargeFor(usage, { price, cost: null }, { startedAtMs, markupBasisPoints: null })
      expect(usage.details?.isContradictory).toBeUndefined()
      expect(formatUsdt(charge.amountNano)).toBe(invoice.sum)
      expect(Object.fromEntries(chargeLines(usage, charge.price ?? price).map(itemOf))).toEqual(invoice.items)
    })
  }

  // One dollar has 10^10 ticks.
  const billed = INVOICES.flatMap(({ name, sum, reply }) => {
    const ticks = asObject(reply.usage)?.cost_in_usd_ticks
    return typeof ticks === 'number' ? [{ name, sum, ticks }] : []
  })
  test.each(billed)('$name: the vendor says so', ({ sum, ticks }) => {
    expect(parseUsdt(sum, 'sum') * 10n).toBe(BigInt(ticks))
  })
})
