import type { AccountDesk } from '../../../gateway/ports/console.ts'
import type { Endpoint, Exchange, Reply } from '../../../gateway/ports/exchange.ts'
import type { Door, UserOperations } from '../../../gateway/ports/identity.ts'
import type { Operations } from '../../../gateway/ports/operations.ts'
import { concealSupply } from '../../../rules/catalog/conceal-supply.ts'
import type { Clock } from '../../../vocabulary/clock.ts'
import type { AccountVisit } from './console-endpoint.ts'
import { type Forward, forwarder } from './forward.ts'

/** What the part of the console that is about accounts is built from. */
export interface AccountApiSurroundings {
  readonly desk: AccountDesk
  readonly operations: Operations
  /** Endpoints of the operator API that say the same of an account, without a guard. */
  readonly operatorEndpoints: readonly Endpoint[]
  readonly users: UserOperations
  readonly clock: Clock
}

export interface AccountApiParts extends AccountApiSurroundings {
  readonly door: Door
  readonly forwardTo: (name: string) => Forward
}

export function accountApiParts(surroundings: AccountApiSurroundings, door: Door): AccountApiParts {
  return { ...surroundings, door, forwardTo: forwarder(surroundings.operatorEndpoints) }
}

export function idOf({ params }: Exchange): string {
  return params.id ?? ''
}

/** What is described for operators, as this visitor may read it. */
export function showTo<T>({ desk }: AccountApiParts, { visitor, accountId }: AccountVisit, described: T): T {
  if (visitor.user.isOperator) return described
  return concealSupply(described, (supplierId) => desk.ownsSupplier(accountId, supplierId))
}

/** The same of an answer. */
export async function showAnswerTo(
  parts: AccountApiParts,
  visit: AccountVisit,
  answer: Response | Reply,
): Promise<Response> {
  return Response.json(showTo(parts, visit, await readAnswer(answer)))
}

/** What operators are answered is always whole. */
export async function readAnswer(answer: Response | Reply): Promise<unknown> {
  if (answer instanceof Response) return answer.json()
  if (typeof answer.body !== 'string') throw new Error('An answer that comes in pieces cannot be shown.')
  return JSON.parse(answer.body)
}
