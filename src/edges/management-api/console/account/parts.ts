import type { TSchema } from 'typebox'
import type { AccountOperations } from '../../../../manage/ports/console.ts'
import type { Door, UserOperations } from '../../../../manage/ports/identity.ts'
import type { Operations } from '../../../../manage/ports/operations.ts'
import {
  type ConcealedFrom,
  conceal,
  isForOperators,
  type ShownToMembers,
} from '../../../../rules/catalog/conceal-supply.ts'
import type { Clock } from '../../../../vocabulary/clock.ts'
import type { EndpointAnswer } from '../../endpoint.ts'
import type { AccountVisit } from '../console-endpoint.ts'

/** The context of the console's account endpoints. */
export interface AccountApiParts {
  readonly account: AccountOperations
  readonly operations: Operations
  readonly users: UserOperations
  readonly clock: Clock
  readonly door: Door
}

/** A result and the fields that the visitor may not see; null: an operator sees everything. */
interface Concealed<Result> {
  readonly result: Result
  readonly from: ConcealedFrom | null
}

export function concealFor<Result>(
  { account }: AccountApiParts,
  { visitor, accountId }: AccountVisit,
  result: Result,
): Concealed<Result> {
  if (visitor.user.isOperator) return { result, from: null }
  return { result, from: (supplierId) => account.ownsSupplier(accountId, supplierId) }
}

/** JSON without the fields that this visitor may not see. */
export function concealJson<Json>(parts: AccountApiParts, visit: AccountVisit, json: Json): Json {
  const { from } = concealFor(parts, visit, json)
  return from === null ? json : conceal(json, from)
}

/** The same answer, of which members see fewer fields than operators. */
export function concealed<Result, Shown>(
  answer: EndpointAnswer<Result, Shown>,
): EndpointAnswer<Concealed<Result>, ShownToMembers<Shown>> {
  const { cookiesOf: _, ...rest } = answer
  return {
    ...rest,
    name: `Member${answer.name}`,
    schema: withOptional(answer.schema),
    show: ({ result, from }) => {
      const shown = answer.show(result)
      return (from === null ? shown : conceal(shown, from)) as ShownToMembers<Shown>
    },
  }
}

/** Fields that only operators see may be missing. */
function withOptional<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(withOptional) as Schema
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    const isRequired = name === 'required' && Array.isArray(value)
    copy[name] = isRequired ? withoutOperators(value) : withOptional(value)
  }
  return copy as Schema & TSchema
}

function withoutOperators(required: readonly string[]): readonly string[] {
  const isTierAssignment = required.includes('assigned_by')
  return required.filter((name) => !isForOperators(name, isTierAssignment))
}
