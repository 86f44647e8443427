import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NO_USAGE, type Usage } from '../../src/conversation/usage.ts'
import { readSupply } from '../../src/edges/supply-file/read-supply.ts'
import { findPriceProblem } from '../../src/rules/catalog/check-price.ts'
import { chargeFor } from '../../src/rules/ledger/charge.ts'
import { parseTime } from '../../src/vocabulary/clock.ts'
import { formatUsdt } from '../../src/vocabulary/money.ts'
import { Price } from '../../src/vocabulary/price.ts'
import { wireName } from '../../src/vocabulary/shape.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/money/rate-cards.md'), 'utf8')
const EXAMPLES = [...PAGE.matchAll(/```yaml\n([\s\S]*?)```\n\n```json\n([\s\S]*?)```/g)]

interface Charge {
  readonly usage: Readonly<Record<string, number | string>>
  readonly started_at?: string
  readonly amount: string
}

/** Reads a price as the gateway reads that of a supply file. */
function readRates(yaml: string): Price {
  const indented = yaml.replace(/^/gm, '          ')
  const { document } = readSupply({
    text: `models:\n  - id: m\n    owned_by: o\n    kinds: [image]\n    routes:\n      - supplier: s\n        upstream_model: u\n        price:\n${indented}`,
    name: 'example.yaml',
    variables: {},
  })
  const price = document.models[0]?.routes[0]?.price
  if (!price) throw new Error('the example has no price')
  expect(findPriceProblem(price)).toBeNull()
  return {
    ...price,
    inputNanoPerMillion: price.inputNanoPerMillion ?? 0n,
    outputNanoPerMillion: price.outputNanoPerMillion ?? 0n,
  }
}

/** The totals are those of `usage`; every other name is a detail. */
function readUsage(written: Charge['usage']): Usage {
  const named = Object.entries(written).map(([name, value]) => {
    return [name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), value] as const
  })
  const totals = named.filter(([name]) => name in NO_USAGE)
  const details = named.filter(([name]) => !(name in NO_USAGE))
  return {
    ...NO_USAGE,
    ...Object.fromEntries(totals),
    ...(details.length > 0 && { details: Object.fromEntries(details) }),
  }
}

const CONDITIONS = ['prompt_above', 'prompt_part_above', 'tier', 'hours', 'from', 'until']

function ratesOf(): string[] {
  return Object.entries(Price.fields).map(([name, field]) => wireName(name, field))
}

describe('the page about prices', () => {
  test('has an example for each situation', () => expect(EXAMPLES).toHaveLength(7))

  test.each(EXAMPLES.map(([, yaml = '', json = '']) => [yaml, json] as const))(
    'is right about %s',
    (yaml, json) => {
      const price = readRates(yaml)
      for (const { usage, started_at: startedAt = '2026-11-17T12:00:00Z', amount } of JSON.parse(
        json,
      ) as Charge[]) {
        const terms = { startedAtMs: parseTime(startedAt, 'started_at'), markupBasisPoints: null }
        const { amountNano } = chargeFor(readUsage(usage), { price, cost: null }, terms)
        expect([usage, formatUsdt(amountNano)]).toEqual([usage, amount])
      }
    },
  )

  test('names every rate and condition there is', () => {
    for (const name of [...ratesOf(), ...CONDITIONS]) expect(PAGE).toContain(`\`${name}\``)
  })
})
