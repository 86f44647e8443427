import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Supply } from '../../../vocabulary/runtime/snapshot.ts'
import type { Supplier, SupplyChange, SupplyDocument } from '../../../vocabulary/supply.ts'
import type { Operations } from '../../ports/operations.ts'
import {
  readSupplyPath,
  type SupplyOptions,
  type SupplyPath,
  type SupplyProblem,
} from '../../ports/supply-application.ts'
import type { OperationParts } from '../parts.ts'

/** The operations a plan is made of. */
export type SupplyWriter = Pick<
  Operations,
  | 'putSupplier'
  | 'addCredential'
  | 'changeCredential'
  | 'deleteCredential'
  | 'putModel'
  | 'putRoute'
  | 'records'
>

export type Write = (writer: SupplyWriter, actor: string) => Promise<unknown>

/** One thing the document speaks of, and the write that makes it so; null when it is so already. */
export interface SupplyStep {
  readonly change: SupplyChange
  readonly write: Write | null
}

/** What the planning of one document knows. */
export interface Planning {
  readonly parts: OperationParts
  readonly supply: Supply
  readonly document: SupplyDocument
  readonly options: SupplyOptions
  /** Suppliers by id as they will be. */
  readonly suppliers: ReadonlyMap<string, Supplier>
  readonly problems: SupplyProblem[]
}

export interface StepFacts extends Pick<SupplyChange, 'kind' | 'id' | 'fields'> {
  readonly isNew: boolean
}

export function makeStep({ kind, id, isNew, fields }: StepFacts, write: Write): SupplyStep {
  if (isNew) return { change: { kind, id, result: 'created', fields: [] }, write }
  if (fields.length > 0) return { change: { kind, id, result: 'changed', fields }, write }
  return { change: { kind, id, result: 'unchanged', fields: [] }, write: null }
}

/** The names of the described fields in which two things differ. */
export function differingFields<Described extends object>(before: Described, after: Described): string[] {
  const names = Object.keys(after) as (keyof Described & string)[]
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]))
}

/** Runs a check of a single operation; what it refuses is a problem at its place in the document, and gives null. */
export function collectProblem<Result>(
  planning: Planning,
  path: SupplyPath,
  check: () => Result,
): Result | null {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    planning.problems.push({ path: [...path, ...readSupplyPath(error.param ?? '')], message: error.message })
    return null
  }
}

export function refuseDuplicates(
  planning: Planning,
  names: readonly string[],
  place: (index: number) => SupplyPath,
): void {
  const seen = new Set<string>()
  for (const [index, name] of names.entries()) {
    if (seen.has(name)) {
      planning.problems.push({ path: place(index), message: 'was named before; each is named once.' })
    }
    seen.add(name)
  }
}
