import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import type { Protocol } from '../../../../protocols/protocol.ts'
import type { BetaSplit } from '../../../../protocols/translation.ts'
import { takesBeta } from '../../../../suppliers/index.ts'
import type { Supplier } from '../../../../vocabulary/supply.ts'
import type { HeaderFields } from '../../../../wire/http-answer.ts'
import { isStrict } from '../../../delivery/call-plan.ts'
import { droppedNames } from '../translate/losses.ts'
import { changedPlan, type LaneParts, type LanePlan } from './lane-plan.ts'

/** A body and the betas that go with it. */
export interface BetaFit {
  readonly body: string
  readonly betas: readonly string[]
  readonly dropped: readonly string[]
}

const NOTHING: readonly string[] = []

interface Sender {
  readonly headers: HeaderFields
  /** The format of the client. */
  readonly protocol: Protocol
  readonly supplier: Supplier
}

/**
 * The body for a supplier, without the halves of betas that it is not asked for. Betas of a client that speaks another
 * format than the supplier mean nothing to it.
 */
export function fitBetas(body: string, { headers, protocol, supplier }: Sender): BetaFit {
  const rules = protocol.supplier.betas
  const asked = rules === undefined ? null : headers.get(rules.header)
  if (rules === undefined || asked === null) return { body, betas: NOTHING, dropped: NOTHING }
  const split = splitBetas(asked, supplier)
  if (split.withheld.length === 0) return { body, betas: split.sent, dropped: NOTHING }
  const fitted = rules.withhold(body, split)
  if (fitted.dropped.length > 0 && isStrict({ headers })) throw cannotTake(fitted.dropped)
  return { body: fitted.text, betas: split.sent, dropped: droppedNames(fitted.dropped) }
}

/** The plan of a lane that writes the request itself. */
export function withBetas(plan: LanePlan, { admission, candidate }: LaneParts): LanePlan {
  const { protocol, exchange } = admission.prepared
  if (protocol !== plan.supplierProtocol || protocol.supplier.betas === undefined) return plan
  const sender = { headers: exchange.headers, protocol, supplier: candidate.route.supplier }
  const { body, betas, dropped } = fitBetas(plan.body, sender)
  return changedPlan(plan, { body, betas, dropped: [...plan.dropped, ...dropped] })
}

function splitBetas(asked: string, supplier: Supplier): BetaSplit {
  const sent: string[] = []
  const withheld: string[] = []
  for (const beta of new Set(asked.split(',').map((name) => name.trim()))) {
    if (beta !== '') (takesBeta(supplier, beta) ? sent : withheld).push(beta)
  }
  return { sent, withheld }
}

/** The same request without the betas that the candidate has rejected by name; null when it named none. */
export function planWithoutBetas({ message }: SupplierFailure, refused: LanePlan): LanePlan | null {
  const { betas = NOTHING, supplierProtocol } = refused
  const rules = supplierProtocol.supplier.betas
  if (rules === undefined || !message.includes(rules.header)) return null
  const withheld = betas.filter((beta) => message.includes(beta))
  if (withheld.length === 0) return null
  const sent = betas.filter((beta) => !withheld.includes(beta))
  const { text, dropped } = rules.withhold(refused.body, { sent, withheld })
  return changedPlan(refused, {
    body: text,
    betas: sent,
    dropped: droppedNames([...refused.dropped, ...dropped]),
  })
}

function cannotTake(names: readonly string[]): GatewayError {
  const [param = ''] = names
  const message = `The supplier of this model cannot take: ${names.join(', ')}.`
  return new GatewayError('unsupported_parameter', message, { param })
}
