import type { HoldDemand } from '../../serve/ports/admissions.ts'
import type {
  AccountUpdate,
  AdmitAnswer,
  AdmitCall,
  GrowCall,
  OpenHold,
  SharedLimits,
} from '../../serve/ports/shared-limits.ts'
import type { KeyTotals } from '../../serve/ports/shared-storage.ts'

/** A number that identifies the call on its connection, the method, and its arguments. */
export type CallLine = readonly [id: number, name: CallName, ...args: readonly unknown[]]
/** `failure` is present only when the call has failed. */
export type AnswerLine = readonly [id: number, answer: unknown, failure?: string]

/** The call that opens a connection; it has no answer. */
export const HELLO = 'hello'
/** Notices, which answer no call, have this number. */
export const NOTICE_ID = 0

type RemoteCalls = Omit<SharedLimits, 'onNotice' | 'onConnected' | 'close'>
export type CallName = keyof RemoteCalls

/** JSON has no big integers, so amounts travel as strings. */
type Encoded<Value> = Value extends bigint
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Encoded<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Encoded<Value[Name]> }
      : Value

export function encodeAdmit(call: AdmitCall): Encoded<AdmitCall> {
  const { amountNano, leastNano } = call.hold
  return {
    requestId: call.requestId,
    accountId: call.accountId,
    keyId: call.keyId,
    generation: call.generation,
    configurationVersion: call.configurationVersion,
    windows: call.windows,
    hold: {
      amountNano: String(amountNano),
      ...(leastNano === undefined ? undefined : { leastNano: String(leastNano) }),
      ...encodeBounds(call.hold),
    },
    conversation: call.conversation,
  }
}

function decodeAdmit(call: Encoded<AdmitCall>): AdmitCall {
  const { amountNano, leastNano } = call.hold
  return {
    ...call,
    hold: {
      amountNano: BigInt(amountNano),
      ...(leastNano === undefined ? undefined : { leastNano: BigInt(leastNano) }),
      ...decodeBounds(call.hold),
    },
  }
}

function encodeAdmitAnswer(answer: AdmitAnswer): Encoded<AdmitAnswer> {
  if (answer.type !== 'admitted') return answer
  return { ...answer, heldNano: answer.heldNano === null ? null : String(answer.heldNano) }
}

export function decodeAdmitAnswer(answer: Encoded<AdmitAnswer>): AdmitAnswer {
  if (answer.type !== 'admitted') return answer
  return { ...answer, heldNano: answer.heldNano === null ? null : BigInt(answer.heldNano) }
}

export function encodeGrow(call: GrowCall): Encoded<GrowCall> {
  const { requestId, accountId, keyId, generation } = call
  return {
    requestId,
    accountId,
    keyId,
    generation,
    amountNano: String(call.amountNano),
    ...encodeBounds(call),
  }
}

function decodeGrow(call: Encoded<GrowCall>): GrowCall {
  return { ...call, amountNano: BigInt(call.amountNano), ...decodeBounds(call) }
}

type Bounds = Pick<HoldDemand, 'creditLineNano' | 'usageLimit'>

function encodeBounds({ creditLineNano, usageLimit }: Bounds): Encoded<Bounds> {
  return {
    creditLineNano: creditLineNano === null ? null : String(creditLineNano),
    usageLimit: usageLimit && { period: usageLimit.period, amountNano: String(usageLimit.amountNano) },
  }
}

function decodeBounds({ creditLineNano, usageLimit }: Encoded<Bounds>): Bounds {
  return {
    creditLineNano: creditLineNano === null ? null : BigInt(creditLineNano),
    usageLimit: usageLimit && { ...usageLimit, amountNano: BigInt(usageLimit.amountNano) },
  }
}

export function encodeHolds(holds: readonly OpenHold[]): Encoded<readonly OpenHold[]> {
  // Only the fields of a hold: the caller may pass objects with more.
  return holds.map(({ requestId, keyId, amountNano }) => ({
    requestId,
    keyId,
    amountNano: String(amountNano),
  }))
}

function decodeHolds(holds: Encoded<readonly OpenHold[]>): readonly OpenHold[] {
  return holds.map((hold) => ({ ...hold, amountNano: BigInt(hold.amountNano) }))
}

export function encodeUpdate(update: AccountUpdate): Encoded<AccountUpdate> {
  const { generation, stored, balance, keys, isLoad } = update
  return {
    generation,
    stored,
    balance: balance && {
      balanceNano: String(balance.balanceNano),
      version: String(balance.version),
    },
    keys: keys.map(encodeTotals),
    isLoad,
  }
}

function decodeUpdate(update: Encoded<AccountUpdate>): AccountUpdate {
  const { balance } = update
  return {
    ...update,
    balance: balance && {
      ...balance,
      balanceNano: BigInt(balance.balanceNano),
      version: BigInt(balance.version),
    },
    keys: update.keys.map(decodeTotals),
  }
}

function encodeTotals({ keyId, totals }: KeyTotals): Encoded<KeyTotals> {
  const encode = ({ startDay, spentNano }: (typeof totals)['daily']) => ({
    startDay,
    spentNano: String(spentNano),
  })
  const { daily, weekly, monthly, forever } = totals
  return {
    keyId,
    totals: {
      daily: encode(daily),
      weekly: encode(weekly),
      monthly: encode(monthly),
      forever: encode(forever),
    },
  }
}

function decodeTotals({ keyId, totals }: Encoded<KeyTotals>): KeyTotals {
  const decode = ({ startDay, spentNano }: (typeof totals)['daily']) => ({
    startDay,
    spentNano: BigInt(spentNano),
  })
  const { daily, weekly, monthly, forever } = totals
  return {
    keyId,
    totals: {
      daily: decode(daily),
      weekly: decode(weekly),
      monthly: decode(monthly),
      forever: decode(forever),
    },
  }
}

/** Runs a call received over the wire. Both ends are the same program, so its shape is trusted. */
export function runCall(
  sharedLimits: RemoteCalls,
  name: CallName,
  args: readonly unknown[],
): Promise<unknown> {
  switch (name) {
    case 'admit':
      return sharedLimits.admit(decodeAdmit(args[0] as Encoded<AdmitCall>)).then(encodeAdmitAnswer)
    case 'grow':
      return sharedLimits.grow(decodeGrow(args[0] as Encoded<GrowCall>))
    case 'settle': {
      const [accountId, holds] = args as [string, Encoded<readonly OpenHold[]>]
      return sharedLimits.settle(accountId, decodeHolds(holds))
    }
    case 'learn': {
      const [accountId, update] = args as [string, Encoded<AccountUpdate>]
      return sharedLimits.learn(accountId, decodeUpdate(update))
    }
    case 'assertHolds': {
      const [accountId, holds, unsure] = args as [string, Encoded<readonly OpenHold[]>, readonly string[]]
      return sharedLimits.assertHolds(accountId, decodeHolds(holds), unsure)
    }
    case 'addHolds': {
      const [accountId, holds] = args as [string, Encoded<readonly OpenHold[]>]
      return sharedLimits.addHolds(accountId, decodeHolds(holds))
    }
    default:
      return (sharedLimits[name] as (...all: readonly unknown[]) => Promise<unknown>)(...args)
  }
}
