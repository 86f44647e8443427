import type { WindowDemand } from '../../serve/ports/admissions.ts'
import type { AccountUpdate, AdmitCall, GrowCall, OpenHold } from '../../serve/ports/shared-limits.ts'
import { USAGE_PERIODS } from '../../vocabulary/api-key.ts'
import type { Argument } from './connection.ts'

// Redis serves nothing else while a script runs, so long lists are split.
const BATCH = 500

export function encodeAdmitCall(time: Argument, call: AdmitCall): Argument[] {
  const { amountNano, leastNano, creditLineNano, usageLimit } = call.hold
  const values: Argument[] = [
    time,
    call.generation,
    call.configurationVersion,
    call.requestId,
    call.keyId,
    String(amountNano),
    creditLineNano === null ? '' : String(creditLineNano),
    usageLimit?.period ?? '',
    usageLimit === null ? '' : String(usageLimit.amountNano),
    call.conversation === null ? '' : 1,
    leastNano === undefined ? '' : String(leastNano),
  ]
  for (const { id, limit, amount } of call.windows) values.push(id, limit, amount)
  return values
}

export function encodeGrowCall(time: Argument, call: GrowCall): Argument[] {
  const { creditLineNano, usageLimit } = call
  return [
    time,
    call.generation,
    call.requestId,
    call.keyId,
    String(call.amountNano),
    creditLineNano === null ? '' : String(creditLineNano),
    usageLimit?.period ?? '',
    usageLimit === null ? '' : String(usageLimit.amountNano),
  ]
}

export function encodeOptions(options: readonly (readonly WindowDemand[])[]): Argument[] {
  return options.flatMap((windows) => [
    windows.length,
    ...windows.flatMap(({ id, limit, amount }) => [id, limit, amount]),
  ])
}

export function encodeHolds(holds: readonly OpenHold[]): Argument[] {
  return [
    holds.length,
    ...holds.flatMap(({ requestId, keyId, amountNano }) => [requestId, keyId, String(amountNano)]),
  ]
}

export function encodeUpdate({ generation, isLoad, balance, stored, keys }: AccountUpdate): Argument[] {
  return [
    generation,
    isLoad ? 1 : '',
    balance === null ? '' : String(balance.balanceNano),
    balance === null ? '' : String(balance.version),
    stored.length,
    ...stored,
    ...keys.flatMap(({ keyId, totals }) => [
      keyId,
      ...USAGE_PERIODS.flatMap((period) => [totals[period].startDay, String(totals[period].spentNano)]),
    ]),
  ]
}

export function inBatches<Item>(items: readonly Item[]): (readonly Item[])[] {
  const batches: (readonly Item[])[] = []
  for (let at = 0; at < items.length; at += BATCH) batches.push(items.slice(at, at + BATCH))
  return batches
}
